#!/bin/sh
# A Cargo with a child and a grandchild that run on by themselves; it tells their numbers.
/bin/sh -c 'sleep 600 & echo "$$ $!"; wait' &
wait
