# Installs Debian packages of servers without starting the servers; run as root.
#
# arguments  the packages

set -eu
PATH=$PATH:/usr/sbin:/usr/bin:/sbin:/bin

policy=/usr/sbin/policy-rc.d
clusters=/etc/postgresql-common/createcluster.d
no_cluster=$clusters/none-for-packages.conf
made_policy='' made_no_cluster=''

# The machine is left as it was, with the packages.
clean_up() {
    if [ -n "$made_policy" ]; then rm -f "$policy"; fi
    if [ -n "$made_no_cluster" ]; then
        rm -f "$no_cluster"
        # What else is in there stays.
        rmdir -p "$clusters" 2>/dev/null || :
    fi
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP

# Maintainer scripts ask this file whether they may start a service; 101 is "no". One that is
# already there is the administrator's own, and stays.
if [ ! -e "$policy" ]; then
    made_policy=yes
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
fi

# The package would make a cluster named "main". Its own settings file includes this folder; writing
# that file itself before the package does would be a conflict.
if [ ! -e "$no_cluster" ]; then
    made_no_cluster=yes
    mkdir -p "$clusters"
    echo 'create_main_cluster = false' >"$no_cluster"
fi

export DEBIAN_FRONTEND=noninteractive
# One broken source among several need not matter: the installation itself decides.
apt-get -qq update || echo 'apt-get update failed; going on with the lists that are there' >&2
# Another installation may be under way, as on a machine that has just been set up.
apt-get -qq --yes -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120 \
    install --no-install-recommends "$@"
