"""How long an error explains later failures. The tests set the clock forward."""

from __future__ import annotations

import shutil
import sys

import pytest

from tests.support.native import ROOT, build_preload
from tests.support.scripts import check_script

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the system has no coarse clock"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler"),
]

Preload = dict[str, str]

START = """
    import ctypes, socket, sys, time
    from confluent_kafka import Consumer, KafkaError, KafkaException, Producer

    LIMIT = time.monotonic() + 50
    QUIET = {"log_level": 0, "group.id": "group"}
    NO_SECOND_TRY = {"reconnect.backoff.ms": 3600000, "reconnect.backoff.max.ms": 3600000}
    ahead = ctypes.c_long.in_dll(ctypes.CDLL(None), "coarse_clock_ahead")

    def until(found, step):
        while not found():
            assert time.monotonic() < LIMIT
            step()

    later, = map(int, sys.argv[1:])
    broker = socket.create_server(("127.0.0.1", 0))  # takes connections, and says no word
    address = "127.0.0.1:%d" % broker.getsockname()[1]
"""


@pytest.fixture(scope="module")
def preload(tmp_path_factory: pytest.TempPathFactory) -> Preload:
    source = ROOT / "tests" / "native" / "coarse_clock.c"
    return build_preload(source, tmp_path_factory.mktemp("preload"))


@pytest.mark.parametrize(("later", "raised"), [(5, 1), (15, 0)])
def test_a_refusal_is_raised_for_15_seconds(preload: Preload, later: int, raised: int) -> None:
    """If all brokers are down, poll() raises an earlier TLS failure only if it is less than 15 s
    old."""
    script = """
    refusing = socket.create_server(("127.0.0.1", 0))
    refusing.settimeout(50)
    servers = address + ",127.0.0.1:%d" % refusing.getsockname()[1]
    refusals = []

    def poll():
        try:
            assert consumer.poll(0.01) is None
        except KafkaException as error:
            refusals.append(error.args[0])

    settings = {"bootstrap.servers": servers, "security.protocol": "ssl"}
    with Consumer(QUIET | NO_SECOND_TRY | settings) as consumer:
        connection, _ = refusing.accept()
        with connection:
            connection.sendall(b"this is no TLS")
            until(lambda: consumer.last_error == KafkaError._SSL, poll)
        assert refusals == []
        ahead.value = later
        broker.close()
        until(lambda: consumer.last_error == KafkaError._ALL_BROKERS_DOWN, poll)
        for _ in range(3):
            poll()
    assert all(error == KafkaError._SSL for error in refusals)
    print(len(refusals))
    """
    assert int(check_script(START + script, str(later), env=preload)) == raised


@pytest.mark.parametrize(("later", "raised"), [(20, True), (30, False)])
def test_an_outage_is_raised_for_30_seconds(preload: Preload, later: int, raised: bool) -> None:
    """If connect() fails soon after an outage began, its error contains the reason of the outage.

    Later, the error contains only that no broker answers.
    """
    script = """
    servers = address + ",no-such-host.invalid:9092"
    with Producer(QUIET | NO_SECOND_TRY | {"bootstrap.servers": servers}) as producer:
        until(lambda: producer.last_error == KafkaError._RESOLVE, lambda: producer.poll(0.01))
        ahead.value = later
        try:
            producer.connect(0.05)
        except KafkaException as error:
            print(error.args[0] == KafkaError._RESOLVE)
    """
    assert check_script(START + script, str(later), env=preload).split() == [str(raised)]


@pytest.mark.parametrize(("later", "told"), [(40, True), (60, False)])
def test_a_logged_failure_is_told_for_60_seconds(preload: Preload, later: int, told: bool) -> None:
    """The exception of a request without an answer contains the last failure that librdkafka
    logged."""
    script = """
    import logging
    broker.close()
    logger = logging.Logger("quiet")
    logger.addHandler(logging.NullHandler())

    def reason():
        try:
            producer.list_topics(timeout=0.05)
        except KafkaException as error:
            return str(error)

    with Producer(NO_SECOND_TRY | {"bootstrap.servers": address, "logger": logger}) as producer:
        until(lambda: "refused" in reason(), lambda: None)
        ahead.value = later
        print("refused" in reason())
    """
    assert check_script(START + script, str(later), env=preload).split() == [str(told)]
