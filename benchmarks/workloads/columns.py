"""Payloads into Arrow columns: by confluent_kafka.columns, and by what people use without it.

The cluster is not used: what is measured is decoding, in one thread.
"""

from __future__ import annotations

import argparse
import io
import json
import struct
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from benchmarks.workloads.common import Stopwatch, print_result

# Rows that are decoded at a time, as many as a consumer fetches without a thought.
BATCH = 10_000
BATCHES = 10  # that differ; they are decoded again and again

SCHEMA = {
    "type": "record",
    "name": "Reading",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "device", "type": "string"},
        {"name": "ok", "type": "boolean"},
        {"name": "value", "type": ["null", "float"]},
        {"name": "count", "type": "int"},
    ],
}
Decode = Callable[[Any], Any]


def varint(number: int) -> bytes:
    """Return Avro's encoding of a number."""
    number = number << 1 ^ number >> 63
    data = bytearray()
    while number > 0x7F:
        data.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*data, number])


def avro_payloads() -> Iterator[bytes]:
    """Yield readings of about 24 bytes."""
    number = 0
    while True:
        device = b"sensor%03d" % (number % 500)
        value = b"\0" if number % 10 == 0 else b"\2" + struct.pack("<f", number / 7)
        yield b"".join(
            (
                *(varint(1_000_000 + number), varint(1_700_000_000_000 + number)),
                *(varint(len(device)), device, bytes([number % 2]), value),
                varint(number % 1000),
            )
        )
        number += 1


def avro_columns() -> Decode:
    """Return our decoder."""
    from confluent_kafka.columns import AvroDecoder

    return AvroDecoder(SCHEMA).decode


def avro_fastavro() -> Decode:
    """Return fastavro's reader of rows, which pyarrow makes columns of."""
    import fastavro
    import pyarrow

    schema = fastavro.parse_schema(SCHEMA)

    def decode(payloads: Sequence[bytes]) -> Any:
        rows = [fastavro.schemaless_reader(io.BytesIO(one), schema, None) for one in payloads]
        return pyarrow.RecordBatch.from_pylist(rows)

    return decode


def avro_pyruhvro() -> Decode:
    """Return a decoder in Rust."""
    import pyruhvro

    schema = json.dumps(SCHEMA)
    return lambda payloads: pyruhvro.deserialize_array(payloads, schema)


DECODERS = {
    "avro-columns": (avro_columns, avro_payloads),
    "avro-fastavro": (avro_fastavro, avro_payloads),
    "avro-pyruhvro": (avro_pyruhvro, avro_payloads),
}
# What takes an Arrow array; the others take a list of bytes.
ARROW = {"avro-columns"}
# Of the messages that a run has: decoders of rows need a minute for a million.
FRACTIONS = {"avro-fastavro": 10}


def main() -> None:
    """Measure one decoder and print the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap", help="not used")
    parser.add_argument("--messages", type=int, required=True)
    parser.add_argument("--decoder", choices=DECODERS, required=True)
    args = parser.parse_args()
    make_decoder, make_payloads = DECODERS[args.decoder]
    payloads = make_payloads()
    batches: list[Any] = [list(islice(payloads, BATCH)) for _ in range(BATCHES)]
    if args.decoder in ARROW:
        import pyarrow

        batches = [pyarrow.array(batch, pyarrow.binary()) for batch in batches]
    decode = make_decoder()
    decode(batches[0])
    rounds = max(args.messages // FRACTIONS.get(args.decoder, 1) // BATCH, 1)
    stopwatch = Stopwatch()
    for number in range(rounds):
        decode(batches[number % BATCHES])
    print_result(
        messages=rounds * BATCH,
        call_seconds=stopwatch.wall(),
        thread_seconds=stopwatch.thread(),
    )


if __name__ == "__main__":
    main()
