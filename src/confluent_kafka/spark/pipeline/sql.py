"""Finds the tables that a SQL query reads, without Spark's parser, which needs a JVM.

This module understands only enough SQL to find the names after FROM and JOIN. Spark reports all
other errors when the query is explained or run.
"""

from __future__ import annotations

import re
from collections.abc import Container

_TOKEN = re.compile(
    r"""(?P<skip>\s+|--[^\n]*|/\*.*?\*/|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
    r"""|(?P<name>`(?:[^`]|``)+`|[A-Za-z_]\w*)|(?P<sign>.)""",
    re.DOTALL,
)
# Functions whose arguments contain a FROM: extract(YEAR FROM ts).
_FROM_INSIDE = {"extract", "trim", "substr", "substring", "overlay", "position"}
_NO_TABLES = {"lateral", "values", "table", "select", "stream"}
_END_OF_FROM = {
    "where", "group", "having", "order", "sort", "cluster", "distribute", "limit", "union",
    "intersect", "except", "minus", "window", "select", "qualify", "offset",
}  # fmt: skip


def tables(sql: str) -> set[str]:
    """Return the names of the tables that a query reads.

    Names with dots are left out: they are tables of a catalog or files, not views of a pipeline.
    The query's own common table expressions are left out, too.
    """
    return {_plain(match.group()) for match in _found(sql)}


def streaming(sql: str, names: Container[str]) -> str:
    """Return a query that reads some of its tables as streams, as ``STREAM(name)``.

    Args:
        sql: the query.
        names: the names of these tables, in lower case.
    """
    for match in reversed(_found(sql)):
        if _plain(match.group()).lower() in names:
            sql = f"{sql[: match.start()]}STREAM({match.group()}){sql[match.end() :]}"
    return sql


def _found(sql: str) -> list[re.Match[str]]:
    """Return the places at which a query names the tables that it reads."""
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
    """Return the index after a list of names in parentheses; without a list, the same index."""
    if words[index : index + 1] != ["("] or ")" not in words[index:]:
        return index
    return words.index(")", index) + 1


def _places(tokens: list[tuple[str, bool]], words: list[str]) -> list[int]:
    """Return the indexes of the names of tables."""
    places = []
    # For each open parenthesis: does it belong to a function with FROM, or to a list of tables?
    functions: list[bool] = [False]
    in_tables: list[bool] = [False]
    expected = False
    for index, word in enumerate(words):
        before = words[index - 1] if index else ""
        if word == "(":
            functions.append(before in _FROM_INSIDE)
            # A parenthesis instead of a table contains a query, or more tables.
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
