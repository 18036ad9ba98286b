#!/bin/sh
# A Cargo that tells its process number and its arguments.
echo "$$ $*"
