"""The measured programs, run by either client's interpreter; each prints one JSON line.

They use only the standard library and ``confluent_kafka``, so that the same source runs on both
clients without changes.
"""
