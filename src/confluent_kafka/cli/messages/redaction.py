"""Rules that hide parts of messages from a reader, such as passwords or names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

REDACTED = "[redacted]"


class Redaction:
    """Hides fields and headers by their names, and parts of texts by patterns.

    A name fits in upper and lower case, at every depth of an object. All of a field's value is
    hidden, also an object or a list. Patterns apply to every text that is left, keys of messages
    included.

    Args:
        fields: names of fields and headers; ``*`` fits any text, as in ``*password*``.
        patterns: regular expressions; what fits is hidden.

    Raises:
        ValueError: a pattern is not a regular expression.
    """

    def __init__(self, fields: Iterable[str] = (), patterns: Iterable[str] = ()) -> None:
        names = "|".join(re.escape(name).replace(r"\*", ".*") for name in fields)
        self._fields = re.compile(names, re.IGNORECASE | re.DOTALL) if names else None
        self._patterns = []
        for pattern in patterns:
            try:
                self._patterns.append(re.compile(pattern))
            except re.error as error:
                raise ValueError(f"{pattern!r} is not a regular expression: {error}") from None

    def __bool__(self) -> bool:
        """Return whether there is any rule."""
        return self._fields is not None or bool(self._patterns)

    def of_field(self, name: str, value: Any) -> Any:
        """Return the value of a field or header, or a remark in its place if the name is hidden.

        Args:
            name: the name.
            value: the value.
        """
        hides = self._fields is not None and self._fields.fullmatch(name) is not None
        return REDACTED if hides else value

    def apply(self, value: Any) -> Any:
        """Return a copy of a decoded value without what the rules hide.

        Args:
            value: a value as JSON has it: objects, lists, texts, numbers, bools or None.
        """
        if isinstance(value, dict):
            return {name: self.of_field(name, self.apply(each)) for name, each in value.items()}
        if isinstance(value, list):
            return [self.apply(each) for each in value]
        if isinstance(value, str):
            for pattern in self._patterns:
                value = pattern.sub(REDACTED, value)
        return value
