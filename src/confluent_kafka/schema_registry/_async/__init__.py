"""Import paths of confluent-kafka 2.x for the asyncio serializers, deserializers and client.

Programs import these modules because confluent-kafka's documentation does. The modules contain no
code: they import names from the public modules of ``confluent_kafka.schema_registry``.
"""
