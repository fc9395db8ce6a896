"""Apache Kafka for PySpark: the data source ``rdkafka``, all of it in Python and C.

Install it with ``pip install 'confluent-kafka[spark]'``. There is nothing to register: PySpark
finds the data source by itself, in the driver and in every executor that has the package::

    flights = (
        spark.readStream.format("rdkafka")
        .option("kafka.bootstrap.servers", "broker:9092")
        .option("subscribe", "flights")
        .option("startingOffsets", "earliest")
        .load()
    )

The options and the schema are those of Spark's own ``kafka`` source: see `RdKafkaDataSource`.
"""

try:
    import pyarrow  # noqa: F401
    import pyspark.sql.streaming.datasource  # noqa: F401 - new in 4.2
except ImportError as error:
    raise ImportError(
        "confluent_kafka.spark needs PySpark 4.3 and pyarrow: "
        f"pip install 'confluent-kafka[spark]' ({error})",
        name=error.name,
    ) from error

from .source import RdKafkaDataSource

__all__ = ["RdKafkaDataSource"]
