"""Rules that hide parts of messages from a reader, such as passwords or names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

REDACTED = "[redacted]"


class Redaction:
    """Hides fields and headers by their names, and parts of texts by patterns.

    Names match in upper and lower case, and at every depth of an object. This includes objects in
    a text that is JSON. The whole value of a field is hidden, even if it is an object or a list. A
    text that is not JSON is hidden as a whole if a name occurs in it. Patterns apply to all other
    texts and numbers, including the keys of messages and the names of fields.

    Args:
        fields: names of fields and headers; ``*`` matches any text, as in ``*password*``.
        patterns: regular expressions; text that matches is hidden.

    Raises:
        ValueError: a pattern is not a regular expression.
    """

    def __init__(self, fields: Iterable[str] = (), patterns: Iterable[str] = ()) -> None:
        fields = list(fields)
        self._fields = _any_of(fields)
        self._mentioned = _any_of(name.strip("*") for name in fields)
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

    def of_text(self, text: str) -> str:
        """Return a text without what the patterns hide.

        Args:
            text: the text, such as the name of a field or a header.
        """
        for pattern in self._patterns:
            text = pattern.sub(REDACTED, text)
        return text

    def apply(self, value: Any) -> Any:
        """Return a copy of a decoded value without what the rules hide.

        Args:
            value: a value as JSON has it: objects, lists, texts, numbers, bools or None.
        """
        if isinstance(value, dict):
            return {
                self.of_text(name): self.of_field(name, self.apply(each))
                for name, each in value.items()
            }
        if isinstance(value, list):
            return [self.apply(each) for each in value]
        if isinstance(value, str):
            return self.of_text(self._without_fields(value))
        if isinstance(value, int | float) and not isinstance(value, bool):
            text = str(value)
            return value if self.of_text(text) == text else REDACTED
        return value

    def _without_fields(self, text: str) -> str:
        """Hide fields in a text that is JSON. Other texts can contain fields in any form."""
        if self._mentioned is None or not self._mentioned.search(text):
            return text
        try:
            inner = json.loads(text)
        except (ValueError, RecursionError):
            return REDACTED
        return json.dumps(self.apply(inner)) if isinstance(inner, dict | list) else REDACTED


def _any_of(names: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern that matches each of the names; None if there is no name."""
    forms = [re.escape(name).replace(r"\*", ".*") for name in names]
    return re.compile("|".join(forms), re.IGNORECASE | re.DOTALL) if forms else None
