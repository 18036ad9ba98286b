#!/bin/sh
# A Cargo that finds no server to ask.
case "$*" in
run*)
    echo 'error: no redis to run with' >&2
    exit 3
    ;;
esac
