"""Plain values that calls take and return. The public names are in ``confluent_kafka``."""
