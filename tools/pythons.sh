#!/bin/sh
# Prints the path of every CPython >= 3.11 on this machine, one line for each version: first the one
# that "python3" runs, then the other python3.* on PATH, then pyenv's.
seen=" "

offer() {
    described=$("$1" -c '
import sys, sysconfig
if sys.implementation.name == "cpython" and sys.version_info >= (3, 11):
    # This is the real executable. A pyenv shim or a virtual environment only starts it.
    print(sysconfig.get_config_var("SOABI"), sys._base_executable)
' </dev/null 2>/dev/null) || return 0
    [ -n "$described" ] || return 0
    abi=${described%% *}
    case $seen in *" $abi "*) return 0 ;; esac
    seen="$seen$abi "
    printf '%s\n' "${described#* }"
}

for name in python3 python3.11 python3.12 python3.13 python3.14 python3.13t python3.14t; do
    offer "$name"
done
for executable in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python; do
    [ -x "$executable" ] && offer "$executable"
done
exit 0
