"""What the embedded cluster cannot do, and so why tests marked `real_only` need real brokers.

The guide to testing contains each sentence under "Limits"; test_limits.py compares them.
"""

SAME_PROCESS = (
    "Python code in your process answers the requests of administrators, so a test that counts "
    "Python objects also counts the objects of the cluster."
)
TOPIC_CONFIGS = (
    "Topics are not compacted in the background, and records are not deleted because of their age."
)
