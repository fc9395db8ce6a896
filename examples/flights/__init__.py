"""A demo: the flights out of New York in 2013, through Kafka and Spark, with a check of each row.

A producer sends every flight. A Structured Streaming job counts departures and adds up delays per
carrier and hour. Two consumers of one group read the results, and the demo compares them with a
direct computation on the same data. ``python -m examples.flights`` runs it.
"""
