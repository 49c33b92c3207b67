# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What all commands in bin have in common. Sourced, before anything else. Each defines usage(), whose text has the same parts in the same order:
# usage, what it does, how long it takes, options with their defaults, what it is run with, exit status.

set -euo pipefail
shopt -s inherit_errexit 2>/dev/null || true # bash before 4.4, as on macOS, lacks it

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
failed=1 # exit status of a command that fails by itself

say() { printf '%s\n' "${0##*/}: $*" >&2; }
fail() { say "$*"; exit "$failed"; }
misuse() { say "$*"; usage >&2; exit 2; }
have() { command -v "$1" >/dev/null 2>&1; }

# for usage of commands that take --broker-series
usage_of_broker() {
    cat <<'TEXT'
The broker is the one at SAFEBUNNY_TEST_RABBIT, or a private node of the server under SAFEBUNNY_RABBIT_ROOT, of the one that bin/broker
installs for --broker-series, or of the installed one; without any of these, a container.
TEXT
}

# helps FIRST-ARGUMENT: shows the usage and ends, if that is asked for
helps() {
    case ${1:-} in
        -h | --help) usage; exit ;;
    esac
}

# read_option '--a|--b' ARGUMENT…: sets option and value to those of --a VALUE or --a=VALUE, and taken to how many arguments that are
read_option() {
    local known=$1
    shift
    option=${1%%=*} taken=1
    [[ $option != *'|'* && "|$known|" == *"|$option|"* ]] || misuse "unknown argument '$1'"
    case $1 in
        *=*) value=${1#*=} ;;
        *) [ $# -ge 2 ] || misuse "$1 needs a value"; value=$2 taken=2 ;;
    esac
}

# one_of OPTION VALUE ALLOWED…
one_of() {
    local option=$1 value=$2 allowed
    shift 2
    for allowed; do [ "$value" != "$allowed" ] || return 0; done
    misuse "$option '$value' is none of $(printf '%s, ' "$@" | sed 's/, $//')"
}

# a_number OPTION VALUE MOST: a whole number from 1
a_number() {
    if [[ $2 =~ ^[1-9][0-9]{0,17}$ ]] && [ "$2" -le "$3" ]; then return; fi
    misuse "$1 '$2' is not a number from 1 to $3"
}

# a_seed OPTION VALUE MOST-DIGITS
a_seed() { [[ $2 =~ ^[0-9]+$ && ${#2} -le $3 ]] || misuse "$1 '$2' is not a number of at most $3 digits"; }

# sets java
find_java() {
    local version
    java=java
    [ -z "${JAVA_HOME:-}" ] || java=$JAVA_HOME/bin/java
    have "$java" || fail "no java found; install a JDK, 17 or newer, and put it on the PATH or set JAVA_HOME"
    version=$("$java" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.specification\.version = //p')
    case $version in
        1.* | '') fail "'$java' is Java ${version:-of an unknown version}; Java 17 or newer is needed" ;;
        *) [ "$version" -ge 17 ] || fail "'$java' is Java $version; Java 17 or newer is needed" ;;
    esac
}

# newest_java LEAST: prints the java of the newest JDK that the machine's packages have installed, if it is of that version or newer
newest_java() {
    local newest
    newest=$(find /usr/lib/jvm -mindepth 1 -maxdepth 1 -type d 2>/dev/null | sed -n 's/.*-\([0-9]\{1,\}\)-.*/\1 &/p' | sort -n | tail -n 1) || return 0
    if [ "${newest%% *}" -ge "$1" ] 2>/dev/null && [ -x "${newest#* }/bin/java" ]; then printf '%s\n' "${newest#* }/bin/java"; fi
}

# use_series SERIES: makes tests and children run nodes of that series; if it is empty and nothing else is set, of the machine's own server
use_series() {
    if [ -n "$1" ]; then
        SAFEBUNNY_RABBIT_ROOT=$("$project/bin/broker" install "$1")
        export SAFEBUNNY_RABBIT_ROOT
    elif [ -z "${SAFEBUNNY_TEST_RABBIT:-}${SAFEBUNNY_RABBIT_ROOT:-}" ] && [ -e /usr/lib/rabbitmq/bin/rabbitmq-server ]; then
        export SAFEBUNNY_RABBIT_ROOT=/
    fi
}

use_mysql() {
    SAFEBUNNY_MYSQL_ROOT=${SAFEBUNNY_MYSQL_ROOT:-$("$project/bin/database" install mysql)}
    export SAFEBUNNY_MYSQL_ROOT
}

use_vault() {
    SAFEBUNNY_VAULT_PROGRAM=${SAFEBUNNY_VAULT_PROGRAM:-$("$project/bin/vault" install)}
    export SAFEBUNNY_VAULT_PROGRAM
}

# build_once NAME MODULE RESULT MAVEN-ARGUMENT…: builds the module and those that it needs, unless nothing has changed since RESULT (in its
# target folder) was built. The time is that of a stamp file, because what is built may have a fixed date
build_once() {
    local module=$2 target=$project/$2/target
    local result=$target/$3 stamp=$target/$1.built log=$target/$1-build.log
    shift 3
    if [ -e "$result" ] && [ -e "$stamp" ] && [ -z "$(find "$project"/pom.xml "$project"/{safebunny-*,samples/*,"$module"}/{pom.xml,src/main} \
        "$project/$module/src" -newer "$stamp" -print -quit 2>/dev/null)" ]; then
        return
    fi
    have mvn || fail "no mvn found; install Maven 3.8.6 or newer and put it on the PATH"
    say "building (some minutes; Maven tells how far it is in ${log#"$project"/})"
    mkdir -p "$target"
    touch "$stamp.new" # before the build, so that files changed during it are rebuilt the next time
    # into a file, because Maven writes terminal codes even when told not to, and they would mess up the first line
    (cd "$project" && mvn -B -ntp -Dquick -DskipTests -pl "$module" -am "$@") </dev/null >"$log" 2>&1 \
        || { cat "$log" >&2; fail "the build failed; Maven's messages are above"; }
    mv "$stamp.new" "$stamp"
}

# build_classes NAME MODULE PHASE: as build_once; sets classpath to that of the module's classes
build_classes() {
    local list=$project/$2/target/$1.classpath entry
    if [ -e "$list" ]; then
        for entry in $(tr : '\n' <"$list"); do [ -e "$entry" ] || { rm -f "$list"; break; }; done # a module was cleaned since
    fi
    build_once "$1" "$2" "$1.classpath" "$3" dependency:build-classpath -Dmdep.outputFile="target/$1.classpath"
    classpath=$project/$2/target/classes:$(cat "$list")
}
