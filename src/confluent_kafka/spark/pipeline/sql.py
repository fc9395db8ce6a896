"""The tables that a SQL query reads, found without Spark's parser, which needs a JVM.

Only enough of SQL is understood to find names behind FROM and JOIN. What is wrong otherwise
Spark says, when the query is explained or run.
"""

from __future__ import annotations

import re
from collections.abc import Container

_TOKEN = re.compile(
    r"""(?P<skip>\s+|--[^\n]*|/\*.*?\*/|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
    r"""|(?P<name>`(?:[^`]|``)+`|[A-Za-z_]\w*)|(?P<sign>.)""",
    re.DOTALL,
)
# Functions whose arguments have a FROM of their own: extract(YEAR FROM ts).
_FROM_INSIDE = {"extract", "trim", "substr", "substring", "overlay", "position"}
_NO_TABLES = {"lateral", "values", "table", "select", "stream"}
_END_OF_FROM = {
    "where", "group", "having", "order", "sort", "cluster", "distribute", "limit", "union",
    "intersect", "except", "minus", "window", "select", "qualify", "offset",
}  # fmt: skip


def tables(sql: str) -> set[str]:
    """Return the tables that a query reads, by the names it has for them.

    Names with dots are left out: they are not views of a pipeline, but tables of a catalog or
    files. So are the query's own common table expressions.
    """
    return {_plain(match.group()) for match in _found(sql)}


def streaming(sql: str, names: Container[str]) -> str:
    """Return a query that reads some of its tables as streams, as ``STREAM(name)``.

    Args:
        sql: the query.
        names: which tables, in lower case.
    """
    for match in reversed(_found(sql)):
        if _plain(match.group()).lower() in names:
            sql = f"{sql[: match.start()]}STREAM({match.group()}){sql[match.end() :]}"
    return sql


def _found(sql: str) -> list[re.Match[str]]:
    """Return where a query names the tables that it reads."""
    matches = [match for match in _TOKEN.finditer(sql) if match.lastgroup != "skip"]
    tokens = [(match.group(), match.lastgroup == "name") for match in matches]
    words = [token.lower() for token, _ in tokens]
    own = {
        _plain(token).lower()
        for index, (token, is_name) in enumerate(tokens)
        if is_name and words[(after := _behind_list(words, index + 1)) : after + 2] == ["as", "("]
    }
    places = [matches[index] for index in _places(tokens, words)]
    return [match for match in places if _plain(match.group()).lower() not in own]


def _behind_list(words: list[str], index: int) -> int:
    """Return what follows the list of names in parentheses at a place, if there is one."""
    if words[index : index + 1] != ["("] or ")" not in words[index:]:
        return index
    return words.index(")", index) + 1


def _places(tokens: list[tuple[str, bool]], words: list[str]) -> list[int]:
    """Return where names of tables stand."""
    places = []
    # For each open parenthesis: is it of a function with a FROM, are we in a list of tables?
    functions: list[bool] = [False]
    in_tables: list[bool] = [False]
    expected = False
    for index, word in enumerate(words):
        before = words[index - 1] if index else ""
        if word == "(":
            functions.append(before in _FROM_INSIDE)
            # A parenthesis in place of a table: a query, or more tables.
            in_tables.append(expected)
            continue
        if word == ")":
            if len(functions) > 1:
                functions.pop()
                in_tables.pop()
            expected = False
        elif word == "from" and not functions[-1] and before != "distinct":
            in_tables[-1] = expected = True
        elif word == "join" or (word == "," and in_tables[-1]):
            expected = True
        elif word in _END_OF_FROM:
            in_tables[-1] = expected = False
        elif expected and tokens[index][1]:
            expected = False
            after = words[index + 1] if index + 1 < len(words) else ""
            if word not in _NO_TABLES and after not in (".", "("):
                places.append(index)
    return places


def _plain(name: str) -> str:
    return name[1:-1].replace("``", "`") if name.startswith("`") else name
