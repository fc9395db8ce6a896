"""Statistics of a client; the public names are in ``confluent_kafka.statistics``."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Any, TypeVar

_Object = TypeVar("_Object")


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowStatistics:
    """The distribution of values within one statistics interval.

    Source: STATISTICS.md of librdkafka, "Window stats".
    """

    min: int = 0
    max: int = 0
    avg: int = 0
    sum: int = 0
    cnt: int = 0
    stddev: int = 0
    hdrsize: int = 0
    p50: int = 0
    p75: int = 0
    p90: int = 0
    p95: int = 0
    p99: int = 0
    p99_99: int = 0
    outofrange: int = 0


_NO_WINDOW = WindowStatistics()


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerStatistics:
    """One connection to a broker.

    Source: STATISTICS.md of librdkafka, "brokers". ``req`` counts the requests of each kind.
    """

    name: str = ""
    nodeid: int = -1
    nodename: str = ""
    source: str = ""
    state: str = ""
    stateage: int = 0
    outbuf_cnt: int = 0
    outbuf_msg_cnt: int = 0
    waitresp_cnt: int = 0
    waitresp_msg_cnt: int = 0
    tx: int = 0
    txbytes: int = 0
    txerrs: int = 0
    txretries: int = 0
    txidle: int = 0
    req_timeouts: int = 0
    rx: int = 0
    rxbytes: int = 0
    rxerrs: int = 0
    rxcorriderrs: int = 0
    rxpartial: int = 0
    rxidle: int = 0
    zbuf_grow: int = 0
    buf_grow: int = 0
    wakeups: int = 0
    connects: int = 0
    disconnects: int = 0
    int_latency: WindowStatistics = _NO_WINDOW
    outbuf_latency: WindowStatistics = _NO_WINDOW
    rtt: WindowStatistics = _NO_WINDOW
    throttle: WindowStatistics = _NO_WINDOW
    req: dict[str, int] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionStatistics:
    """One partition that the client produces to or reads.

    Source: STATISTICS.md of librdkafka, "partitions".
    """

    partition: int = -1
    broker: int = -1
    leader: int = -1
    desired: bool = False
    unknown: bool = False
    msgq_cnt: int = 0
    msgq_bytes: int = 0
    xmit_msgq_cnt: int = 0
    xmit_msgq_bytes: int = 0
    fetchq_cnt: int = 0
    fetchq_size: int = 0
    fetch_state: str = ""
    query_offset: int = 0
    next_offset: int = 0
    app_offset: int = 0
    stored_offset: int = 0
    stored_leader_epoch: int = -1
    committed_offset: int = 0
    committed_leader_epoch: int = -1
    eof_offset: int = 0
    lo_offset: int = 0
    hi_offset: int = 0
    ls_offset: int = 0
    consumer_lag: int = -1
    consumer_lag_stored: int = -1
    leader_epoch: int = -1
    txmsgs: int = 0
    txbytes: int = 0
    rxmsgs: int = 0
    rxbytes: int = 0
    msgs: int = 0
    rx_ver_drops: int = 0
    msgs_inflight: int = 0
    next_ack_seq: int = 0
    next_err_seq: int = 0
    acked_msgid: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicStatistics:
    """One topic, with its partitions by number.

    Partition -1 holds the messages that have no partition yet.

    Source: STATISTICS.md of librdkafka, "topics".
    """

    topic: str = ""
    age: int = 0
    metadata_age: int = 0
    batchsize: WindowStatistics = _NO_WINDOW
    batchcnt: WindowStatistics = _NO_WINDOW
    partitions: dict[int, PartitionStatistics] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupStatistics:
    """The consumer's membership of its group.

    Source: STATISTICS.md of librdkafka, "cgrp".
    """

    state: str = ""
    stateage: int = 0
    join_state: str = ""
    rebalance_age: int = 0
    rebalance_cnt: int = 0
    rebalance_reason: str = ""
    assignment_size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionStatistics:
    """The idempotent or transactional producer.

    ``txn_version`` is the version of transactions that the cluster uses, or 0 if the cluster does
    not report it.

    Source: STATISTICS.md of librdkafka, "eos"; our patch transactions-v2 adds ``txn_version``.
    """

    idemp_state: str = ""
    idemp_stateage: int = 0
    txn_state: str = ""
    txn_stateage: int = 0
    txn_may_enq: bool = False
    txn_version: int = 0
    producer_id: int = -1
    producer_epoch: int = -1
    epoch_cnt: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """The statistics of a client. Brokers and topics are dicts by name.

    ``cgrp`` is None for a producer. ``eos`` is None for a client that is neither idempotent nor
    transactional.

    Source: STATISTICS.md of librdkafka, "Top-level".
    """

    name: str = ""
    client_id: str = ""
    type: str = ""
    ts: int = 0
    time: int = 0
    age: int = 0
    replyq: int = 0
    msg_cnt: int = 0
    msg_size: int = 0
    msg_max: int = 0
    msg_size_max: int = 0
    tx: int = 0
    tx_bytes: int = 0
    rx: int = 0
    rx_bytes: int = 0
    txmsgs: int = 0
    txmsg_bytes: int = 0
    rxmsgs: int = 0
    rxmsg_bytes: int = 0
    simple_cnt: int = 0
    metadata_cache_cnt: int = 0
    brokers: dict[str, BrokerStatistics] = dataclasses.field(default_factory=dict)
    topics: dict[str, TopicStatistics] = dataclasses.field(default_factory=dict)
    cgrp: GroupStatistics | None = None
    eos: TransactionStatistics | None = None


def from_json(text: str) -> Statistics:
    """Read the statistics that stats_cb receives.

    Args:
        text: librdkafka's JSON.

    Returns:
        Statistics; unknown fields of the JSON are ignored.

    Raises:
        ValueError: the text is not JSON.
    """
    data: dict[str, Any] = json.loads(text)
    data["brokers"] = {name: _broker(each) for name, each in data.get("brokers", {}).items()}
    data["topics"] = {name: _topic(each) for name, each in data.get("topics", {}).items()}
    if "cgrp" in data:
        data["cgrp"] = _object(GroupStatistics, data["cgrp"])
    if "eos" in data:
        data["eos"] = _object(TransactionStatistics, data["eos"])
    return _object(Statistics, data)


def _broker(data: dict[str, Any]) -> BrokerStatistics:
    for name in ("int_latency", "outbuf_latency", "rtt", "throttle"):
        data[name] = _object(WindowStatistics, data.get(name, {}))
    return _object(BrokerStatistics, data)


def _topic(data: dict[str, Any]) -> TopicStatistics:
    for name in ("batchsize", "batchcnt"):
        data[name] = _object(WindowStatistics, data.get(name, {}))
    data["partitions"] = {
        int(number): _object(PartitionStatistics, each)
        for number, each in data.get("partitions", {}).items()
    }
    return _object(TopicStatistics, data)


def _object(kind: type[_Object], data: dict[str, Any]) -> _Object:
    known = {field.name for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: value for name, value in data.items() if name in known})


# Set here and not in the classes: dataclass() looks up __module__ in sys.modules, and
# confluent_kafka.statistics may not be imported yet.
for _public in (
    WindowStatistics,
    BrokerStatistics,
    PartitionStatistics,
    TopicStatistics,
    GroupStatistics,
    TransactionStatistics,
    Statistics,
):
    _public.__module__ = "confluent_kafka.statistics"
