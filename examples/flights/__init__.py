"""The flights out of New York in 2013, through Kafka and Spark and back, checked row for row.

A producer sends every flight; a Structured Streaming job counts departures and adds up delays
per carrier and hour; two consumers of one group read what it found; and what they read is
compared with a direct computation on the same data. ``python -m examples.flights`` runs it.
"""
