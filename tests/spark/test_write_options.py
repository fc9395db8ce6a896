"""The options of writes."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")

from confluent_kafka.spark.write_options import TransactionOptions, WriteOptions, write_options

SERVERS = {"kafka.bootstrap.servers": "b:9092"}
EXACTLY = {**SERVERS, "deliveryguarantee": "exactly-once"}


def test_a_write_knows_its_own_options_only() -> None:
    """The topic is optional, because a column may name it.

    Options of reads are refused.
    """
    assert write_options(SERVERS, streaming=False).topic is None
    with pytest.raises(ValueError, match="unknown option 'subscribe'"):
        write_options({**SERVERS, "subscribe": "out"}, streaming=False)


def test_delivery_is_at_least_once_by_default() -> None:
    """Batch and stream take the same options."""
    for streaming in (False, True):
        options = write_options({**SERVERS, "topic": " t ", "kafka.acks": "1"}, streaming=streaming)
        assert options == WriteOptions({"bootstrap.servers": "b:9092", "acks": "1"}, "t", None)


def test_exactly_once_keeps_its_progress_under_the_name_of_the_topic() -> None:
    """A query that writes one topic needs no further options."""
    options = write_options({**EXACTLY, "topic": "t"}, streaming=True)
    assert options.transactions == TransactionOptions("spark-rdkafka", "t")
    options = write_options(
        {**EXACTLY, "transactionalidprefix": "etl", "markertopic": "m", "topic": "t"},
        streaming=True,
    )
    assert options.transactions == TransactionOptions("etl", "m")


def test_what_spark_adds_for_a_query_is_no_mistake() -> None:
    """For streaming writes only, Spark adds the query's own options to the sink's options."""
    query = {"checkpointlocation": "/c", "queryname": "q", **SERVERS, "topic": "t"}
    assert write_options(query, streaming=True).topic == "t"
    with pytest.raises(ValueError, match="unknown option 'checkpointlocation'"):
        write_options(query, streaming=False)


@pytest.mark.parametrize(
    ("given", "streaming", "message"),
    [
        (
            {"deliveryguarantee": "exactly-once"},
            False,
            "deliveryGuarantee: exactly-once is for streaming queries",
        ),
        ({"deliveryguarantee": "exactlyonce"}, True, "deliveryGuarantee: .* did you mean 'exactly"),
        ({"deliveryguarantee": "exactly-once"}, True, "option markerTopic is required"),
        ({"transactionalidprefix": "a"}, True, "transactionalIdPrefix is for deliveryGuarantee"),
        ({"markertopic": "a"}, False, "markerTopic is for deliveryGuarantee"),
        ({"kafka.transactional.id": "a"}, True, "transactional.id cannot be given.*their prefix"),
        ({"includeheaders": "yes"}, False, "includeHeaders: 'yes' is neither true nor false"),
        ({"deliverygarantee": "a"}, True, "did you mean 'deliveryGuarantee'"),
        (
            {
                "deliveryguarantee": "exactly-once",
                "kafka.enable.idempotence": "false",
                "topic": "t",
            },
            True,
            "kafka.enable.idempotence: false cannot be combined with",
        ),
        (
            {"deliveryguarantee": "exactly-once", "topic": "t", "transactionalidprefix": " "},
            True,
            "transactionalIdPrefix: it is empty",
        ),
    ],
)
def test_mistakes_name_the_option(given: dict[str, str], streaming: bool, message: str) -> None:
    """Mistakes raise an error that names the option, before any task starts."""
    with pytest.raises(ValueError, match=message):
        write_options({**SERVERS, **given}, streaming=streaming)
