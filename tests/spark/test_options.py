"""Options of the data source: read by Spark's names, refused with what to do."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")

from confluent_kafka.spark.offsets import Partition
from confluent_kafka.spark.read_options import includes_headers, read_options

SERVERS = {"kafka.bootstrap.servers": "localhost:9092"}
READ = {**SERVERS, "subscribe": "flights"}


def batch(**more: str) -> Any:
    return read_options({**READ, **more}, streaming=False)


def streaming(**more: str) -> Any:
    return read_options({**READ, **more}, streaming=True)


def test_a_batch_read_covers_the_whole_topic_by_default() -> None:
    """As in Spark's guide: from the earliest to the latest offsets."""
    options = batch()
    assert (options.starting_offsets, options.ending_offsets) == ("earliest", "latest")


def test_a_streaming_read_starts_with_what_comes_next_by_default() -> None:
    """As in Spark's guide: latest, losses fail the query, no limit, no headers, two minutes."""
    options = streaming()
    assert options.starting_offsets == "latest"
    assert options.fail_on_data_loss is True
    assert options.max_offsets_per_trigger is None
    assert options.include_headers is False
    assert options.poll_timeout == 120.0


def test_kafka_properties_pass_through_without_their_prefix() -> None:
    """Whatever starts with ``kafka.`` configures the client; nothing else does."""
    options = read_options({**READ, "kafka.security.protocol": "SSL"}, streaming=False)
    assert options.kafka == {"bootstrap.servers": "localhost:9092", "security.protocol": "SSL"}


def test_topics_are_trimmed_and_named_once() -> None:
    """A repeated topic would be read twice."""
    options = read_options({**SERVERS, "subscribe": " b, a ,b,"}, streaming=False)
    assert options.topics == ("b", "a")


def test_offsets_can_be_given_as_json() -> None:
    """Spark's JSON names every partition."""
    options = batch(startingoffsets='{"flights": {"0": 23, "1": -2}}')
    assert options.starting_offsets == {Partition("flights", 0): 23, Partition("flights", 1): -2}


def test_values_keep_spark_s_spelling() -> None:
    """Words may be in any case; milliseconds become seconds."""
    options = streaming(
        startingoffsets="EARLIEST",
        failondataloss="False",
        includeheaders="TRUE",
        maxoffsetspertrigger="500",
        **{"kafkaconsumer.polltimeoutms": "1500"},
    )
    assert options.starting_offsets == "earliest"
    assert options.fail_on_data_loss is False
    assert options.include_headers is True
    assert options.max_offsets_per_trigger == 500
    assert options.poll_timeout == 1.5


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"startingofsets": "earliest"}, "did you mean 'startingOffsets'"),
        ({"bootstrap.servers": "x"}, "did you mean 'kafka.bootstrap.servers'"),
        ({"topic": "t"}, "unknown option 'topic'"),
        ({"subscribe": " , "}, "option subscribe: it names no topic"),
        ({"startingoffsets": "latest"}, "option startingOffsets cannot be latest"),
        ({"startingoffsets": '{"flights": {"0": -1}}'}, "option startingOffsets cannot be latest"),
        ({"endingoffsets": "earliest"}, "option endingOffsets cannot be earliest"),
        ({"endingoffsets": '{"flights": {"0": -2}}'}, "option endingOffsets cannot be earliest"),
        ({"startingoffsets": "first"}, "option startingOffsets: 'first' is neither"),
        ({"failondataloss": "no"}, "option failOnDataLoss: 'no' is neither true nor false"),
        ({"maxoffsetspertrigger": "0"}, "option maxOffsetsPerTrigger: '0' is not a whole number"),
        ({"kafkaconsumer.polltimeoutms": "1.5"}, "option kafkaConsumer.pollTimeoutMs: '1.5'"),
        ({"kafka.auto.offset.reset": "latest"}, "startingOffsets says where to start"),
        ({"kafka.enable.auto.commit": "true"}, "kafka.enable.auto.commit cannot be given"),
        ({"kafka.bootstrap.servers": " "}, "option kafka.bootstrap.servers is required"),
    ],
)
def test_what_is_wrong_with_an_option_is_said(more: dict[str, str], message: str) -> None:
    """Each refusal names the option, what was given and what to give."""
    with pytest.raises(ValueError, match=message.replace(".", r"\.")):
        batch(**more)


def test_required_options_are_asked_for() -> None:
    """Nothing is guessed: not the brokers, not the topics."""
    with pytest.raises(ValueError, match=r"kafka\.bootstrap\.servers is required"):
        read_options({"subscribe": "flights"}, streaming=False)
    with pytest.raises(ValueError, match="option subscribe is required"):
        read_options(SERVERS, streaming=False)


def test_a_streaming_query_has_no_end() -> None:
    """endingOffsets would be ignored in silence otherwise."""
    with pytest.raises(ValueError, match="a streaming query has no end"):
        streaming(endingoffsets="latest")


def test_headers_are_a_column_only_if_asked_for() -> None:
    """The schema depends on this option alone."""
    assert includes_headers({"includeheaders": "true"}) is True
    assert includes_headers({}) is False
    with pytest.raises(ValueError, match="option includeHeaders"):
        includes_headers({"includeheaders": "1"})
