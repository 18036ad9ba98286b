#!/bin/sh
# A Cargo that tells its arguments where progress is told.
echo "$*" >&2
