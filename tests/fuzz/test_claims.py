"""Arrow data without buffers may claim any number of rows, which must cost neither memory nor
time."""

from __future__ import annotations

import pytest

from tests.support.scripts import check_script

pytest.importorskip("pyarrow", reason="pyarrow is not installed")


@pytest.mark.parametrize("columns", ["[]", "[b'key', b'topic', b'partition', b'headers']"])
def test_rows_of_nothing(columns: str) -> None:
    """produce_arrow() of 2**62 null rows ends when the queue is full, and does not run for ever."""
    check_script(
        f"""
        from confluent_kafka import Producer
        from tests.fuzz.arrow import Nothing
        with Producer({{"log_level": 0, "queue.buffering.max.messages": 100}}) as producer:
            try:
                producer.produce_arrow(Nothing(2**62, {columns}), "topic")
            except BufferError:
                assert len(producer) == 100
                producer.purge()
            else:
                raise SystemExit("there is room for 2**62 messages")
        """,
    )
