"""What the embedded cluster cannot do: why a test marked `real_only` runs on real brokers alone.

The guide to testing has each sentence under "Limits"; test_limits.py compares them.
"""

ADMINISTRATION = (
    "The cluster does not support requests about quotas, transactions of other producers, "
    "features, and the quorum."
)
FENCING = (
    "A fenced producer can get `OUT_OF_ORDER_SEQUENCE_NUMBER` instead of `INVALID_PRODUCER_EPOCH`."
)
OFFSET_METADATA = "The cluster does not limit the size of the metadata of committed offsets."
OFFSET_RESET = (
    "If a committed offset is after the end of a partition, a consumer continues at the end of the "
    "partition, even with `auto.offset.reset=earliest`."
)
SAME_PROCESS = (
    "Python code in your process answers the requests of administrators, so a test that counts "
    "Python objects also counts the objects of the cluster."
)
TOPIC_CONFIGS = (
    "Topics are not compacted in the background, and records are not deleted because of their age."
)
TRANSACTION_CHECKS = (
    "The cluster accepts offsets in a transaction from members that have left their group, and any "
    "`transaction.timeout.ms`."
)
