# Kills a process group once the process that started it is gone.
#
# input  one line per change: the number of the group, or an empty line when its leader has ended.
#        End of input: the parent is gone.

trap '' INT TERM HUP QUIT

group=''
while read -r line; do
    group=$line
done

if [ -n "$group" ]; then
    kill -s KILL -- "-$group"
fi
