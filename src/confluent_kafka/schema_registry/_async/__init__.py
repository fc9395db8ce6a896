"""Import paths of confluent-kafka 2.x for the serdes and the client that are awaited.

Programs name these modules because confluent-kafka's documents do. They have no code of their own:
they import from the public modules of ``confluent_kafka.schema_registry``.
"""
