"""Converts librdkafka's statistics to kafka-python's form."""

from __future__ import annotations

from typing import Any

# librdkafka's counters, by the names of kafka-python's counters for the same things.
_CLIENT = {
    "incoming-byte-total": "rx_bytes",
    "outgoing-byte-total": "tx_bytes",
    "request-total": "tx",
    "response-total": "rx",
}
_OF_KIND = {
    "producer": {
        "record-send-total": "txmsgs",
        "byte-total": "txmsg_bytes",
        "record-queue-count": "msg_cnt",
    },
    "consumer": {"records-consumed-total": "rxmsgs", "bytes-consumed-total": "rxmsg_bytes"},
    "admin": {},
}


def metrics(kind: str, engine: Any) -> dict[str, dict[str, float]]:
    """Return a client's numbers in the latest statistics, by group and name.

    Args:
        kind: "producer", "consumer" or "admin".
        engine: the client; its ``statistics.interval.ms`` is the time between two statistics.
    """
    statistics = engine.stats()
    if statistics is None:
        return {f"{kind}-metrics": {}}
    counters = _CLIENT | _OF_KIND[kind]
    found = {
        f"{kind}-metrics": {
            name: float(getattr(statistics, field)) for name, field in counters.items()
        }
        | {"connection-count": float(_connected(statistics))}
    }
    for broker in statistics.brokers.values():
        if broker.nodeid >= 0:
            found[f"{kind}-node-metrics.node-{broker.nodeid}"] = {
                "incoming-byte-total": float(broker.rxbytes),
                "outgoing-byte-total": float(broker.txbytes),
                "request-total": float(broker.tx),
                "request-latency-avg": _milliseconds(broker.rtt, "avg"),
                "request-latency-max": _milliseconds(broker.rtt, "max"),
            }
    return found


def _connected(statistics: Any) -> int:
    return sum(broker.state == "UP" for broker in statistics.brokers.values())


def _milliseconds(window: Any, name: str) -> float:
    return 0.0 if window is None else getattr(window, name) / 1000
