"""How long a client waits on the way out of a program."""

SECONDS_ON_THE_WAY_OUT = 5.0
"""After an exception in a client's block, such as that of Ctrl-C, or at the end of the process: who
waits for messages, a commit or an abort that no broker answers would have to press Ctrl-C again."""
