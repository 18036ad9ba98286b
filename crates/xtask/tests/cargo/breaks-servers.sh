#!/bin/sh
# A Cargo whose every server ends while it starts.
case "$*" in
run*)
    echo 'error: redis did not start: it ended (signal: 6)' >&2
    exit 1
    ;;
esac
