# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For scripts that install servers from the distribution's packages, or from another Debian release unpacked beside it. Sourced,
# after command.sh.

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" >&2
}

# if that fails, updates missing or outdated package lists and tries again
install_packages() {
    apt_install "$@" || { as_root apt-get update -q >&2 && apt_install "$@"; }
}

# packaged_version PACKAGE: what the distribution offers; empty if nothing
packaged_version() {
    apt-cache policy "$1" | sed -n 's/^ *Candidate: *//p' | grep -vxF '(none)' || true
}

# refresh_unless_offered PACKAGE
refresh_unless_offered() {
    [ -n "$(packaged_version "$1")" ] || as_root apt-get update -q >&2
}

# what to do where there is no such server, for messages; the script says it
otherwise=

# mirror_for SUITE: the first of apt's own mirrors that has the Debian release
mirror_for() {
    local uri probe
    if [ -n "${SAFEBUNNY_DEBIAN_MIRROR:-}" ]; then echo "$SAFEBUNNY_DEBIAN_MIRROR"; return; fi
    probe=$(mktemp -d)
    # shellcheck disable=SC2016 # $(REPO_URI) is apt's own notation
    for uri in $(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | sort -u); do
        if /usr/lib/apt/apt-helper download-file "${uri%/}/dists/$1/InRelease" "$probe/InRelease" >/dev/null 2>&1 \
            && grep -q '^Origin: Debian$' "$probe/InRelease" && grep -q "^Codename: $1\$" "$probe/InRelease"; then
            rm -rf "$probe"
            echo "$uri"
            return
        fi
    done
    rm -rf "$probe"
    fail "none of apt's mirrors carries Debian $1; set SAFEBUNNY_DEBIAN_MIRROR, or $otherwise"
}

cache_folder() {
    echo "${SAFEBUNNY_CACHE:-${XDG_CACHE_HOME:-${HOME:?HOME is not set}/.cache}/safebunny}"
}

# programs in the folder are run as root, so nobody else may be able to write to it
require_private() {
    local owner mode
    read -r owner mode < <(stat -L -c '%u %a' "$1")
    if [ -L "$1" ] || { [ "$owner" != 0 ] && [ "$owner" != "$(id -u)" ]; }; then
        fail "the cache folder $1 belongs to another user or is a link; set SAFEBUNNY_CACHE to a folder of your own"
    fi
    [ $((8#$mode & 8#022)) = 0 ] || fail "others may write to the cache folder $1; chmod go-w it, or set SAFEBUNNY_CACHE to another"
}

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# unpacking_failed SUITE MIRROR LOG
unpacking_failed() {
    tail -n 20 "$3" >&2
    if grep -q 'Release signed by unknown key' "$3"; then
        fail "Debian $1 on $2 is signed with a key that this machine does not have, so it is not used. If its package debian-archive-keyring" \
            "is older than $1, install a newer one; otherwise the mirror is not Debian's. The whole log is $3"
    elif grep -qE 'Invalid Release signature|Error executing gpgv|Failed getting release signature' "$3"; then
        fail "the signature of Debian $1 on $2 could not be checked, so it is not used. The whole log is $3"
    fi
    fail "debootstrap failed; the whole log is $3"
}

unpacking=
discard_unpacking() { [ -z "$unpacking" ] || as_root rm -rf --one-file-system "$unpacking"; }

# unpack FOLDER SUITE PACKAGE CHECK [ARGUMENT]
unpack() {
    local folder=$1 suite=$2 package=$3 check=$4 mirror script
    shift 4
    if ! have debootstrap || ! have gpgv || [ ! -e "$keyring" ]; then
        install_packages debootstrap gpgv debian-archive-keyring
    fi
    mirror=$(mirror_for "$suite")
    script=/usr/share/debootstrap/scripts/$suite
    [ -e "$script" ] || script=/usr/share/debootstrap/scripts/sid
    say "unpacking Debian $suite with $package into $folder (about a minute, once)"
    trap discard_unpacking EXIT
    unpacking=$(mktemp -d "$folder.XXXXXX")
    # in a mount namespace, so that whatever debootstrap mounts is gone when it ends, however it ends
    # without a keyring or gpgv, debootstrap only warns and goes on unverified; here it must verify, with Debian's keys and no others
    as_root unshare --mount debootstrap --force-check-gpg --keyring="$keyring" --variant=minbase --include="$package" \
        "$suite" "$unpacking" "$mirror" "$script" >"$folder.log" 2>&1 9>&- \
        || unpacking_failed "$suite" "$mirror" "$folder.log"
    grep -q '^I: Valid Release signature' "$folder.log" || fail "debootstrap did not say that it checked the signature; see $folder.log"
    echo '127.0.0.1 localhost' | as_root tee "$unpacking/etc/hosts" >/dev/null
    # shellcheck disable=SC2016 # $1 is the inner shell's
    as_root sh -ec 'rm -rf "$1"/var/cache/apt/archives/*.deb "$1"/var/lib/apt/lists/*; chmod 755 "$1"' sh "$unpacking"
    "$check" "$unpacking" "$@" || fail "$package of Debian $suite no longer brings what is needed here; adapt $0"
    as_root mv -T "$unpacking" "$folder"
    unpacking=
}

# unpack_once FOLDER SUITE PACKAGE CHECK [ARGUMENT]: the folder becomes the root of a minimal Debian system with the package, for which
# CHECK FOLDER [ARGUMENT] succeeds, unless it is that already
unpack_once() {
    local folder=$1 cache
    cache=$(dirname "$folder")
    (umask 077 && mkdir -p "$cache")
    require_private "$cache"
    # of two runs at once, the second waits and finds the work done
    exec 9>"$folder.lock"
    flock 9
    "$4" "$folder" "${@:5}" || unpack "$@"
    exec 9>&-
}
