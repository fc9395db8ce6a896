"""A partition as a key: the name of its topic, and its number."""

Place = tuple[str, int]
