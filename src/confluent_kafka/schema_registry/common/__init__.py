"""Import paths of confluent-kafka 2.x for what all serdes share.

Programs name these modules because confluent-kafka's documents do. They have no code of their own:
they import from the public modules of ``confluent_kafka.schema_registry``.
"""
