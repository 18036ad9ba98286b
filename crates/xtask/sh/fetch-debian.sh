# Downloads a server of another Debian suite with everything that it needs, and unpacks it into the
# current folder. Nothing is installed: the system's packages, lists and settings stay as they are.
# Afterwards `programs` is the folder that holds the program, as a script that becomes it.
#
# arguments  1 the suite
#            2 the package
#            3 its program
# output     its last line says why it failed

set -eu
suite=$1 package=$2 program=$3
PATH=$PATH:/usr/sbin:/usr/bin:/sbin:/bin
umask 022

fail() {
    echo "$1" >&2
    exit 1
}

for tool in apt-get dpkg-deb; do
    command -v "$tool" >/dev/null || fail "there is no $tool: this server comes from Debian's packages"
done

# The mirror that the machine's own settings name, known also where no list was ever fetched.
mirror=$(apt-get update --print-uris | sed -n "s#^'\(.*\)/dists/.*#\1#p" | grep -v security | head -n 1)
[ -n "$mirror" ] || fail "apt-get has no source of Debian packages: this server cannot be looked for"
keys=/usr/share/keyrings/debian-archive-keyring.gpg
options=target=Packages
if [ -e "$keys" ]; then options="$options signed-by=$keys"; fi
# The suite holds only what is newer than in sid; libraries may stand in either.
mkdir -p apt/lists/partial apt/archives/partial apt/none root programs
for name in "$suite" sid; do
    echo "deb [$options] $mirror $name main"
done >apt/sources.list
# No package counts as installed, so that every library comes with it: the suite's are newer than
# this machine's.
: >apt/status

apt() {
    apt-get -qq --yes \
        -o Dir::Etc::sourcelist="$PWD/apt/sources.list" -o Dir::Etc::sourceparts="$PWD/apt/none" \
        -o Dir::Etc::preferences="$PWD/apt/none/preferences" -o Dir::Etc::preferencesparts="$PWD/apt/none" \
        -o Dir::State::lists="$PWD/apt/lists" -o Dir::State::status="$PWD/apt/status" \
        -o Dir::State::extended_states="$PWD/apt/extended_states" \
        -o Dir::Cache="$PWD/apt" -o Dir::Cache::archives="$PWD/apt/archives" \
        -o Dir::Log="$PWD/apt" -o APT::Sandbox::User=root -o Debug::NoLocking=true \
        -o APT::Keep-Downloaded-Packages=true "$@"
}
apt update
apt --no-install-recommends --download-only --target-release "$suite" install "$package"
for archive in apt/archives/*.deb; do
    dpkg-deb -x "$archive" root
done
rm -r apt
# Nobody needs another su.
find root -perm /6000 -type f -exec chmod u-s,g-s {} +

libraries=$(dirname "$(find root -name libc.so.6 | head -n 1)")
loader=$(find root -name 'ld-linux*.so.*' | sort | head -n 1)
[ -e "root/usr/bin/$program" ] && [ -e "$loader" ] || fail "$package of $suite has no $program, or none for this machine"

# `exec`, so that the process that was started is the server: it is signalled by its number.
cat >"programs/$program" <<END
#!/bin/sh
# Becomes $program with the loader and the libraries of its own suite.
here=\${0%/*}/..
exec "\$here/$loader" --library-path "\$here/$libraries" "\$here/root/usr/bin/$program" "\$@"
END
chmod 755 "programs/$program"
