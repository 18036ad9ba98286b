# Prints the path of a python3 that can import psycopg 3: the one that PYTHON names; where it names none, the
# first of PATH's, the system's own, and the one of the environment that `cargo xtask` makes.
#
# arguments  the folder of that environment, which need not be there
#
# Without one it says on the standard error, in one line, what helps, and exits with 1.

has_psycopg() {
    "$1" -c 'import psycopg' >/dev/null 2>&1
}

if [ -n "${PYTHON-}" ]; then
    if has_psycopg "$PYTHON"; then
        echo "$PYTHON"
        exit
    fi
    echo "PYTHON is set to $PYTHON, which cannot import psycopg: correct or unset it" >&2
    exit 1
fi
# A python3 of the user's own often stands before the system's, and lacks what the system's has.
for python in "$(command -v python3)" /usr/bin/python3 "$1/bin/python3"; do
    if has_psycopg "$python"; then
        echo "$python"
        exit
    fi
done
echo 'no python3 can import psycopg 3: install it with `apt-get install python3-psycopg`, or run' \
    '`cargo xtask test`, which sees to it; PYTHON chooses another python3' >&2
exit 1
