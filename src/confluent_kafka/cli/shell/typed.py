"""A command line that a user is typing: its words, and the word at its end."""

from __future__ import annotations

from typing import NamedTuple

_SPACE = " \t\n"
# What a backslash protects between double quotes.
_IN_DOUBLE_QUOTES = '$`"\\'


class Typed(NamedTuple):
    """The line up to the cursor.

    Attributes:
        words: the words before the last one, as the command gets them.
        last: the last word. It is empty after a space.
        quote: the quote in the last word that is still open, or an empty text.
        kept: the number of characters of the last word that the shell keeps when it completes.
    """

    words: list[str]
    last: str
    quote: str
    kept: int


def typed(line: str, breaks: str = "") -> Typed:
    """Return the words of a line.

    Args:
        line: the line up to the cursor.
        breaks: characters at which the shell divides a word. The shell completes only what is after
            the last of these characters, or after an open quote.
    """
    words: list[str] = []
    word, quote, kept, begun = "", "", 0, False
    characters = iter(line)
    for one in characters:
        if quote == "'" or (quote and one != "\\"):
            if one == quote:
                quote, kept = "", len(word)
            else:
                word += one
        elif one == "\\":
            following = next(characters, "")
            word += f"\\{following}" if quote and following not in _IN_DOUBLE_QUOTES else following
            begun = True
        elif one in "'\"":
            quote, kept, begun = one, len(word), True
        elif one in _SPACE:
            if begun:
                words.append(word)
            word, kept, begun = "", 0, False
        else:
            word += one
            begun = True
            if one in breaks:
                kept = len(word)
    return Typed(words, word, quote, kept)
