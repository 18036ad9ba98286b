#!/bin/sh
# A Cargo whose every build works, whose every server answers, and whose every test passes.
case "$*" in
run*) printf 'version: Valkey 9.1.2\ncommands: DELIFEQ\n' ;;
*--no-run*) ;;
test*)
    echo "tested $REDIS_SERVER, ${REDIS_URL-no URL}, of $*"
    echo 'test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out'
    ;;
esac
