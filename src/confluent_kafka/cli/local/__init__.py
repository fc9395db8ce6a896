"""Brokers on this machine, for the command `cluster`."""
