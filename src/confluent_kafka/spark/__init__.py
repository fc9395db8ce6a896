"""Apache Kafka for PySpark: the data source ``rdkafka``, written in Python and C.

It needs the extra ``[spark]``. You need not register it: PySpark finds the data source in the
driver and in every executor that has the package installed::

    flights = (
        spark.readStream.format("rdkafka")
        .option("kafka.bootstrap.servers", "localhost:9092")
        .option("subscribe", "flights")
        .option("startingOffsets", "earliest")
        .load()
    )

The options and the columns are the same as those of Spark's own ``kafka`` source: see
`RdKafkaDataSource`.
"""

try:
    import pyarrow  # noqa: F401
    import pyspark.sql.streaming.datasource  # noqa: F401 - new in 4.2
except ImportError as error:
    from importlib.util import find_spec

    # Names all of them, so that one command installs everything.
    _missing = [name for name in ("pyspark", "pyarrow", "pandas") if find_spec(name) is None]
    _cause = f"missing: {', '.join(_missing)}" if _missing else str(error)
    raise ImportError(
        "confluent_kafka.spark needs PySpark 4.3, pyarrow and pandas: "
        f"pip install 'pyspark>=4.3,<4.4' 'pyarrow>=18' 'pandas>=2.2,<3' ({_cause})",
        name=error.name,
    ) from error

from .lag import source_metrics
from .source import RdKafkaDataSource

__all__ = ["RdKafkaDataSource", "source_metrics"]
