"""What the embedded cluster cannot do: why a test marked `real_only` runs on real brokers alone.

The guide to testing has each sentence under "Limits"; test_limits.py compares them.
"""

AUTHORIZED_OPERATIONS = (
    "The cluster does not return the operations that a client is authorized to do."
)
ALERTS = (
    "If the certificate of a client is missing or wrong, or a client uses SASL without "
    "`MockCluster(security=...)`, the broker closes the connection and does not say why."
)
BROKER_CONFIGS = (
    "The cluster has only a few configurations of brokers, and no configurations of groups."
)
CLIENT_IDS = "The client ids and hosts of a group's members are empty."
ELECTIONS = "The cluster does not elect leaders when an administrator asks for it."
FIRST_REPLICA = "If you assign replicas to a partition, the cluster uses only the first replica."
SAME_PROCESS = (
    "Python code in your process answers the requests of administrators, so a test that counts "
    "Python objects also counts the objects of the cluster."
)
TOPIC_CONFIGS = (
    "Configurations of topics have no effect: the cluster does not refuse messages because of "
    "their size or timestamp, and it keeps the timestamps of producers."
)
TOPIC_NAMES = "The cluster checks the name of a topic only when an administrator creates the topic."
