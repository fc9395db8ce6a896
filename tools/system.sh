#!/bin/sh
# Makes sure that the system has the packages for one purpose:
#
#   tools/system.sh build   a C compiler, Python's headers, the libraries that librdkafka needs
#   tools/system.sh npm     npm, to download librdkafka's sources
#   tools/system.sh java    Java 17 or newer, for Spark
#   tools/system.sh clang   clang, to fuzz the C code
# As root on Debian or a system derived from it, it installs the missing packages. Otherwise it
# prints the command that you need to run, and fails. If nothing is missing, it only looks for
# commands and files, so it can run every time.
set -u
cd "$(dirname "$0")/.." || exit 1
missing=""

need() {
    missing="$missing $*"
}

check_build() {
    command -v cc >/dev/null && command -v make >/dev/null || need build-essential
    command -v patch >/dev/null || need patch
    if command -v pkg-config >/dev/null; then
        # If the system has a librdkafka, it also has the libraries that librdkafka needs.
        pkg-config --atleast-version=2.14 rdkafka || check_libraries
    else
        need pkg-config
        check_libraries
    fi
    if [ -x .venv/bin/python ]; then
        python=.venv/bin/python
    else
        python=${PYTHON:-$(sh tools/pythons.sh | head -n 1)}
    fi
    if [ -z "$python" ]; then
        need python3 python3-dev python3-venv
        return
    fi
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])') || exit 1
    "$python" -c 'import ensurepip, venv' 2>/dev/null || need "python$version-venv"
    "$python" -c '
import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))
' || need "python$version-dev"
}

check_libraries() {
    for pair in openssl:libssl-dev libcurl:libcurl4-openssl-dev libsasl2:libsasl2-dev \
        libzstd:libzstd-dev zlib:zlib1g-dev; do
        pkg-config --exists "${pair%%:*}" 2>/dev/null || need "${pair#*:}"
    done
}

check_npm() {
    command -v npm >/dev/null || need npm
}

check_java() {
    java=${JAVA_HOME:+$JAVA_HOME/bin/}java
    # The first number is the version: "17.0.15" is Java 17. "1.8.0" is Java 8 and counts as 1.
    found=$("$java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p' | head -n 1)
    [ "${found:-0}" -ge 17 ] || need java
}

check_clang() {
    command -v clang >/dev/null || need clang
}

# Print the names of the packages. Each release of Debian or Ubuntu has a different Java: look for
# it in apt's lists.
packages() {
    java=openjdk-17-jre-headless
    for candidate in openjdk-17-jre-headless openjdk-21-jre-headless; do
        if apt-cache show "$candidate" >/dev/null 2>&1; then
            java=$candidate
            break
        fi
    done
    printf '%s' "$missing" | sed "s/ java$/ $java/"
}

apt() {
    DEBIAN_FRONTEND=noninteractive apt-get "$@" </dev/null
}

install() {
    echo "==> installing with apt-get:$missing" >&2
    log=$(mktemp) || exit 1
    trap 'rm -f "$log"' EXIT
    # Update apt's lists only if the first attempt fails: they can be missing (in a new container)
    # or too old.
    # shellcheck disable=SC2046
    apt install -y -q --no-install-recommends $(packages) >"$log" 2>&1 && return
    apt update -q >"$log" 2>&1
    # shellcheck disable=SC2046
    apt install -y -q --no-install-recommends $(packages) >>"$log" 2>&1 && return
    tail -n 20 "$log" >&2
    echo "error: apt-get could not install:$missing" >&2
    exit 1
}

explain() {
    if command -v apt-get >/dev/null; then
        echo "error: the system lacks$missing. Run this, then try again:" >&2
        echo "    sudo apt-get install -y --no-install-recommends$(packages)" >&2
    else
        echo "error: the system lacks, by their Debian names:$missing" >&2
        echo "Install the same with your package manager (macOS: 'xcode-select --install' and" >&2
        echo "'brew install pkg-config openssl@3 curl zstd python'), then try again." >&2
    fi
    exit 1
}

case ${1:-} in
build | npm | java | clang) "check_$1" ;;
*)
    echo "usage: tools/system.sh build|npm|java|clang" >&2
    exit 2
    ;;
esac
[ -z "$missing" ] && exit 0
if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    install
else
    explain
fi
