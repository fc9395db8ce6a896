"""Apache Kafka for PySpark: the data source ``rdkafka``, all of it in Python and C.

It needs the extra ``[spark]``. There is nothing to register: PySpark
finds the data source by itself, in the driver and in every executor that has the package::

    flights = (
        spark.readStream.format("rdkafka")
        .option("kafka.bootstrap.servers", "localhost:9092")
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
        f"pip install 'pyspark>=4.3,<4.4' 'pyarrow>=18' 'pandas>=2.2,<3' ({error})",
        name=error.name,
    ) from error

from .lag import source_metrics
from .source import RdKafkaDataSource

__all__ = ["RdKafkaDataSource", "source_metrics"]
