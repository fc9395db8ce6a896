"""Which partitions a read covers."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")

from confluent_kafka.spark.offsets import Partition
from confluent_kafka.spark.selection import Assign, Subscribe, SubscribePattern, selection


def test_each_of_the_three_options_selects() -> None:
    """The options are names, a pattern or partitions; partitions are sorted, without duplicates."""
    assert selection({"subscribe": " b, a ,b,"}) == Subscribe(("b", "a"))
    assert selection({"subscribePattern": "a.*"}) == SubscribePattern("a.*")
    assert selection({"assign": '{"b": [1], "a": [2, 0, 2]}'}) == Assign(
        (Partition("a", 0), Partition("a", 2), Partition("b", 1))
    )


def test_a_pattern_matches_whole_names_and_no_internal_topic() -> None:
    """Patterns behave as Java's matches() and Kafka's exclude.internal.topics."""
    pattern = SubscribePattern("flights|_.*")
    assert pattern.matches("flights")
    assert pattern.matches("_x")
    assert not pattern.matches("flights2")
    assert not pattern.matches("my-flights")
    assert not pattern.matches("__consumer_offsets")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {},
            "one of the options subscribe, subscribePattern, assign is required, and none",
        ),
        ({"subscribe": "a", "assign": "{}"}, "subscribe and assign are given"),
        ({"subscribe": " , "}, "option subscribe: it names no topic"),
        ({"subscribePattern": " "}, "option subscribePattern: it is empty"),
        ({"subscribePattern": "a("}, r"option subscribePattern: 'a\(' is not a regular expression"),
        ({"subscribePattern": "[a-z&&[^b]]"}, "is not a regular expression of Python's re"),
        ({"assign": "a:0"}, "option assign: 'a:0' is not JSON"),
        ({"assign": '["a"]'}, "option assign: .* is not an object of topics"),
        ({"assign": '{"a": 0}'}, "option assign: topic 'a': 0 is not a list of partitions"),
        ({"assign": '{"a": [-1]}'}, "option assign: topic 'a': -1 is not the number"),
        ({"assign": '{"a": ["0"]}'}, "option assign: topic 'a': '0' is not the number"),
        ({"assign": '{"a": [0], "a": [1]}'}, "option assign: 'a' is given twice"),
        ({"assign": '{"a": []}'}, "option assign: it names no partition"),
    ],
)
def test_what_is_wrong_is_said(given: dict[str, str], message: str) -> None:
    """The error names the option and its value."""
    with pytest.raises(ValueError, match=message):
        selection(given)
