"""How long a client waits when its program is about to end."""

SECONDS_ON_THE_WAY_OUT = 5.0
"""The limit in seconds for closing a client after an exception in its ``with`` block (such as the
one that Ctrl-C raises) and at the end of the process. Without a limit, a user whose broker does not
answer would have to press Ctrl-C again."""
