#!/bin/sh
# The Cargo of a minimal toolchain.
test "$1" != clippy
