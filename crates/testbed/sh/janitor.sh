# Stops one server, then removes its folder, once the process that started both is gone.
#
# arguments  1 the signal that stops the server, as `kill -s` wants it
#            2 the folder
#            3 `remove` or `keep` the folder
# input      one line per change: "PID MARK" of the server that now runs, or an empty line when it
#            has ended; MARK stands in its command line. End of input: the parent is gone.

signal=$1 folder=$2 fate=$3
PATH=$PATH:/usr/bin:/bin

# The janitor must outlast what ends everything around it.
trap '' INT TERM HUP QUIT

pid='' mark=''
while read -r new_pid new_mark; do
    pid=$new_pid mark=$new_mark
done

# A number alone proves nothing: the server may have ended, and another process may bear its
# number by now. The command line of one that has ended but was not waited for is empty.
is_running() {
    [ -n "$pid" ] || return 1
    if [ -d /proc/self ]; then
        command_line=$(tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline")
    else
        command_line=$(ps -o args= -p "$pid")
    fi
    case $command_line in
    *"$mark"*) return 0 ;;
    *) return 1 ;;
    esac
}

# Sends the signal $1, and waits at most $2 twentieths of a second for the end. A stopped process
# acts on most signals only after it has been continued.
stop_with() {
    is_running || return 0
    kill -s "$1" "$pid"
    kill -s CONT "$pid"
    turns=$2
    while [ "$turns" -gt 0 ] && is_running; do
        sleep 0.05
        turns=$((turns - 1))
    done
}

# Postgres ends its own children on QUIT, after 5 s also those that do not listen, so it gets that
# long before the signal that it cannot act upon.
stop_with "$signal" 100
stop_with QUIT 140
stop_with KILL 40

# The children of a killed Postgres notice it a moment later, and may write until then.
if [ "$fate" = remove ]; then
    turns=100
    until rm -rf -- "$folder" || [ "$turns" -eq 0 ]; do
        sleep 0.05
        turns=$((turns - 1))
    done
fi
