"""The shells whose scripts ask the program for completions, and how each one reads the answers.

Click's own scripts pass on words that bash has divided at each colon, as in localhost:9092, and
insert names as they are. These scripts pass on the line, and the names that they get are quoted.
"""

from __future__ import annotations

import os
import re
import shlex
from typing import Any

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    get_completion_class,
)

from confluent_kafka.cli.shell.typed import Typed, typed

_PLAIN = re.compile(r"[^\w@%+,./:=-]")
_IN_DOUBLE_QUOTES = re.compile(r'["$`\\]')

_BASH = """\
%(complete_func)s() {
    local item
    COMPREPLY=()
    while IFS= read -r item; do
        case "$item" in
            plain,*) COMPREPLY+=("${item#plain,}") ;;
            dir,*) compopt -o dirnames ;;
            file,*) compopt -o default ;;
        esac
    done < <(env %(complete_var)s=bash_complete COMP_WORDS="${COMP_LINE:0:$COMP_POINT}" \
COMP_BREAKS="$COMP_WORDBREAKS" "$1" 2>/dev/null)
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""

_ZSH = """\
#compdef %(prog_name)s

%(complete_func)s() {
    local -a response plain described
    local kind value help
    (( $+commands[%(prog_name)s] )) || return 1
    response=("${(@f)$(env %(complete_var)s=zsh_complete COMP_WORDS="${words[1,CURRENT]}" \
%(prog_name)s 2>/dev/null)}")
    for kind value help in "${response[@]}"; do
        case "$kind" in
            plain)
                if [[ "$help" == "_" ]]; then
                    plain+=("$value")
                else
                    described+=("$value:$help")
                fi
                ;;
            dir) compset -P '--*='; _path_files -/ ;;
            file) compset -P '--*='; _path_files -f ;;
        esac
    done
    (( $#described )) && _describe -V unsorted described -U
    (( $#plain )) && compadd -U -V unsorted -a plain
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    %(complete_func)s "$@"
else
    compdef %(complete_func)s %(prog_name)s
fi
"""

_FISH = """\
function %(complete_func)s
    set -l response (env %(complete_var)s=fish_complete \
COMP_WORDS=(commandline -cp | string collect) %(prog_name)s 2>/dev/null)
    for item in $response
        set -l parts (string split -m 1 "," -- $item)
        switch $parts[1]
            case dir
                __fish_complete_directories $parts[2]
            case file
                __fish_complete_path $parts[2]
            case plain
                printf '%%s\\n' $parts[2]
        end
    end
end
complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
"""


class _FromLine(ShellComplete):
    """Gets the line up to the cursor, and answers with whole words."""

    _typed = Typed([], "", "", 0)

    def get_completion_args(self) -> tuple[list[str], str]:
        breaks = os.environ.get("COMP_BREAKS", "")
        self._typed = typed(os.environ["COMP_WORDS"], breaks)
        return self._typed.words[1:], self._typed.last

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        found = super().get_completions(args, incomplete)
        option, equals, _ = incomplete.partition("=")
        if not (equals and option.startswith("--")):
            return found
        return [
            CompletionItem(f"{option}={each.value}", each.type, each.help)
            if each.type == "plain"
            else each
            for each in found
        ]


@add_completion_class
class Bash(_FromLine, BashComplete):
    """Bash inserts the answers as they are, in place of a part of the word."""

    source_template = _BASH

    def format_completion(self, item: CompletionItem[Any]) -> str:
        return f"{item.type},{_quoted(item.value[self._typed.kept :], self._typed.quote)}"


@add_completion_class
class Zsh(_FromLine, ZshComplete):
    """Zsh quotes the answers."""

    source_template = _ZSH


@add_completion_class
class Fish(_FromLine, FishComplete):
    """Fish quotes the answers."""

    source_template = _FISH

    def format_completion(self, item: CompletionItem[Any]) -> str:
        return f"{item.type},{item.value}" + (f"\t{item.help}" if item.help else "")


class _Unquoted(ShellComplete):
    """Offers only names that need no quotes, for a shell whose script inserts them as they are."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        found = super().get_completions(args, incomplete)
        return [each for each in found if shlex.quote(each.value) == each.value]


if (_powershell := get_completion_class("powershell")) is not None:  # depends on Click's version
    add_completion_class(type("Powershell", (_Unquoted, _powershell), {}))

NAMES = [name for name in ("bash", "zsh", "fish", "powershell") if get_completion_class(name)]


def class_of(name: str) -> type[ShellComplete]:
    """Return the class that answers a shell.

    Args:
        name: one of NAMES.
    """
    found = get_completion_class(name)
    assert found is not None
    return found


def _quoted(text: str, quote: str) -> str:
    """Return a text as bash needs it after an open quote, or without one."""
    if quote == "'":
        return text.replace("'", r"'\''")
    if quote:  # "!" is special between double quotes, and cannot be escaped there
        return _IN_DOUBLE_QUOTES.sub(r"\\\g<0>", text).replace("!", r'"\!"')
    return _PLAIN.sub(r"\\\g<0>", text)
