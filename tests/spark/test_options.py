"""Options of the data source have Spark's names.

The error about a wrong option contains advice.
"""

from __future__ import annotations

import logging
import re
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")

from confluent_kafka.spark.offsets import Partition, Times
from confluent_kafka.spark.read_options import includes_headers, read_options
from confluent_kafka.spark.selection import Subscribe

SERVERS = {"kafka.bootstrap.servers": "localhost:9092"}
READ = {**SERVERS, "subscribe": "flights"}


def batch(**more: str) -> Any:
    return read_options({**READ, **more}, streaming=False)


def streaming(**more: str) -> Any:
    return read_options({**READ, **more}, streaming=True)


def test_a_batch_read_covers_the_whole_topic_by_default() -> None:
    """As in Spark's guide, a batch read covers the earliest to the latest offsets."""
    options = batch()
    assert (options.starting, options.ending) == ("earliest", "latest")


def test_a_streaming_read_starts_with_what_comes_next_by_default() -> None:
    """As in Spark's guide, the query starts at the latest offsets, and a loss fails it.

    There is no limit, there are no headers, and the timeout is two minutes.
    """
    options = streaming()
    assert options.starting == "latest"
    assert options.fail_on_data_loss is True
    assert options.max_offsets_per_trigger is None
    assert options.include_headers is False
    assert options.poll_timeout == 120.0


def test_kafka_properties_pass_through_without_their_prefix() -> None:
    """An option that starts with ``kafka.`` configures the client; other options do not."""
    options = read_options({**READ, "kafka.security.protocol": "SSL"}, streaming=False)
    assert options.kafka["security.protocol"] == "SSL"
    assert not any(name.startswith("kafka.") for name in options.kafka)


def test_topics_are_trimmed_and_named_once() -> None:
    """A repeated topic would be read twice."""
    options = read_options({**SERVERS, "subscribe": " b, a ,b,"}, streaming=False)
    assert options.selection == Subscribe(("b", "a"))


def test_offsets_can_be_given_as_json() -> None:
    """Spark's JSON names every partition."""
    options = batch(startingoffsets='{"flights": {"0": 23, "1": -2}}')
    assert options.starting == {Partition("flights", 0): 23, Partition("flights", 1): -2}


def test_values_keep_spark_s_spelling() -> None:
    """Words may be in upper or lower case; milliseconds become seconds."""
    options = streaming(
        startingoffsets="EARLIEST",
        failondataloss="False",
        includeheaders="TRUE",
        maxoffsetspertrigger="500",
        **{"kafkaconsumer.polltimeoutms": "1500"},
    )
    assert options.starting == "earliest"
    assert options.fail_on_data_loss is False
    assert options.include_headers is True
    assert options.max_offsets_per_trigger == 500
    assert options.poll_timeout == 1.5


def test_the_time_of_a_question_has_java_s_name() -> None:
    """default.api.timeout.ms is the source's own timeout and not a property of librdkafka; it has a
    default."""
    options = batch(**{"kafka.default.api.timeout.ms": "2500"})
    assert options.retries.timeout == 2.5
    assert "default.api.timeout.ms" not in options.kafka
    assert batch().retries.timeout is None


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
        ({"maxrangespertask": "0"}, "option maxRangesPerTask: '0' is not a whole number"),
        (
            {"kafka.default.api.timeout.ms": "1m"},
            "option kafka.default.api.timeout.ms: '1m' is not a whole number of at least 1",
        ),
        ({"kafka.auto.offset.reset": "latest"}, "startingOffsets says where to start"),
        ({"kafka.enable.auto.commit": "true"}, "kafka.enable.auto.commit cannot be given"),
        ({"kafka.bootstrap.servers": " "}, "option kafka.bootstrap.servers is required"),
        ({"assign": '{"flights": [0]}'}, "subscribe and assign are given"),
        ({"startingtimestamp": "noon"}, "option startingTimestamp: 'noon' is not a whole number"),
        ({"startingoffsetsbytimestamp": "5"}, "option startingOffsetsByTimestamp: 5 is not an"),
        (
            {"endingoffsetsbytimestamp": '{"a": {"0": -1}}'},
            "option endingOffsetsByTimestamp: a [0]",
        ),
        ({"startingoffsetsbytimestampstrategy": "none"}, "'none' is neither error nor latest"),
        ({"minpartitions": "0"}, "option minPartitions: '0' is not a whole number of at least 1"),
        ({"maxrecordsperpartition": "x"}, "option maxRecordsPerPartition: 'x' is not a whole"),
        ({"maxtriggerdelay": "soon"}, "option maxTriggerDelay: 'soon' is not a time like"),
        ({"fetchoffset.numretries": "-1"}, "option fetchOffset.numRetries: '-1' is not a whole"),
        ({"groupidprefix": " "}, "option groupIdPrefix: it is empty"),
        ({"commitoffsetstogroup": ""}, "option commitOffsetsToGroup: it is empty"),
        (
            {"startingoffsets": '{"a": {"0": 1, "0": 2}}'},
            "option startingOffsets: '0' is given twice",
        ),
    ],
)
def test_what_is_wrong_with_an_option_is_said(more: dict[str, str], message: str) -> None:
    """Each error names the option, its value and the allowed values."""
    with pytest.raises(ValueError, match=re.escape(message)):
        batch(**more)


def test_required_options_are_asked_for() -> None:
    """The source guesses neither the brokers nor the topics."""
    with pytest.raises(ValueError, match=r"kafka\.bootstrap\.servers is required"):
        read_options({"subscribe": "flights"}, streaming=False)
    with pytest.raises(ValueError, match="subscribePattern, assign is required"):
        read_options(SERVERS, streaming=False)


def test_a_streaming_query_has_no_end() -> None:
    """The source refuses endingOffsets for a streaming query, instead of ignoring it silently."""
    with pytest.raises(ValueError, match="a streaming query has no end"):
        streaming(endingoffsets="latest")


@pytest.mark.parametrize("name", ["endingtimestamp", "endingoffsetsbytimestamp"])
def test_a_streaming_query_has_no_end_in_time_either(name: str) -> None:
    """A streaming query refuses both options for an ending time."""
    with pytest.raises(ValueError, match="a streaming query has no end"):
        streaming(**{name: "5"})


def test_a_timestamp_goes_before_timestamps_and_these_before_offsets() -> None:
    """At the start and at the end, the precedence is the one in Spark's guide."""
    json = '{"flights": {"0": 7}}'
    offsets = {"startingoffsets": json, "endingoffsets": json}
    each = {"startingoffsetsbytimestamp": json, "endingoffsetsbytimestamp": json}
    every = {"startingtimestamp": "5", "endingtimestamp": "6"}
    options = batch(**offsets)
    assert options.starting == options.ending == {Partition("flights", 0): 7}
    options = batch(**offsets, **each)
    of = {Partition("flights", 0): 7}
    assert options.starting == Times("startingOffsetsByTimestamp", of, error_if_none=True)
    assert options.ending == Times("endingOffsetsByTimestamp", of, error_if_none=False)
    options = batch(**offsets, **each, **every, startingoffsetsbytimestampstrategy="LATEST")
    assert options.starting == Times("startingTimestamp", 5, error_if_none=False)
    assert options.ending == Times("endingTimestamp", 6, error_if_none=False)


def test_a_minimum_of_offsets_is_not_above_the_maximum() -> None:
    """A minimum above the maximum is refused, because no micro-batch could satisfy both limits."""
    options = streaming(minoffsetspertrigger="5", maxoffsetspertrigger="5", maxtriggerdelay="2 min")
    assert (options.min_offsets_per_trigger, options.max_trigger_delay) == (5, 120)
    assert streaming().max_trigger_delay == 15 * 60
    with pytest.raises(ValueError, match=r"minOffsetsPerTrigger \(6\) is more than maxOffsets"):
        streaming(minoffsetspertrigger="6", maxoffsetspertrigger="5")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("10s", 10),
        ("500ms", 0.5),
        ("1500", 1.5),
        ("15 minutes", 900),
        (" 2H ", 7200),
        ("1d", 86400),
    ],
)
def test_times_are_written_as_in_spark(text: str, seconds: float) -> None:
    """A time is a number and a unit; a number alone means milliseconds."""
    assert streaming(maxtriggerdelay=text).max_trigger_delay == seconds


def test_a_batch_read_says_that_options_of_streams_do_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """As in Spark's own source, an option for streams is only a warning in a batch read."""
    with caplog.at_level(logging.WARNING):
        batch(maxoffsetspertrigger="5")
    assert "option maxOffsetsPerTrigger has no effect in a batch read" in caplog.text


def test_a_group_can_be_named_for_access_control() -> None:
    """kafka.group.id takes precedence over groupIdPrefix, as in Spark's guide."""
    assert batch().kafka["group.id"] == "spark-rdkafka"
    assert batch(groupidprefix="team").kafka["group.id"] == "team-spark-rdkafka"
    both = batch(groupidprefix="team", **{"kafka.group.id": "mine"})
    assert both.kafka["group.id"] == "mine"


def test_headers_are_a_column_only_if_asked_for() -> None:
    """Only the option includeHeaders decides whether the schema has a column for headers."""
    assert includes_headers({"includeheaders": "true"}) is True
    assert includes_headers({}) is False
    with pytest.raises(ValueError, match="option includeHeaders"):
        includes_headers({"includeheaders": "1"})
