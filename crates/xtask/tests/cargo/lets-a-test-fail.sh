#!/bin/sh
# A Cargo with a test that fails on every server.
case "$*" in
run*) echo 'version: PostgreSQL 18.6' ;;
*--no-run*) ;;
test*)
    echo 'test drain::a_late_write_waits ... FAILED'
    echo 'test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out'
    exit 101
    ;;
esac
