#!/bin/sh
# A Cargo whose every command fails.
exit 7
