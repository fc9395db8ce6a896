"""How commands end, and what they write to terminals and pipes."""

from __future__ import annotations

import os
import select
import signal
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from confluent_kafka import Consumer, Producer, TopicPartition, libversion, version
from confluent_kafka.testing import MockCluster
from tests.support.kafka import NO_BROKER
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytest.importorskip("click", reason="the extra [cli] is not installed")

from confluent_kafka.cli.commands import groups
from confluent_kafka.cli.messages.inputs import inputs_of, plain_maker, templated
from confluent_kafka.cli.messages.sending import Sender
from confluent_kafka.cli.messages.sending_display import Display
from tests.support.command_line import COMMAND, ended, run, started

FULL = Path("/dev/full")


class Terminal:
    """A terminal on which a command runs; it collects the output."""

    def __init__(self, *arguments: str) -> None:
        self.shown = b""
        self._ours, theirs = os.openpty()
        self.process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,  # /dev/tty, for passwords, is this terminal
        )
        os.close(theirs)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *exception: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._ours)

    def press(self, key: bytes) -> None:
        # The terminal controls no session, so it sends no signal.
        if key == b"\x03":
            self.process.send_signal(signal.SIGINT)
        else:
            os.write(self._ours, key)

    def read_until(self, text: bytes) -> None:
        wait_until(lambda: text in self.shown, self._read)

    def ended(self, key: bytes) -> int:
        """The exit status after a key was pressed; `shown` has all output.

        The key is pressed again and again, as people do. A key may be lost if it arrives after the
        question is shown and before the answer is read.
        """

        def press() -> None:
            if not self._read(TIMEOUT / 6):
                self.press(key)

        wait_until(lambda: self.process.poll() is not None, press)
        while self._read():
            pass
        return self.process.wait(TIMEOUT)

    def _read(self, seconds: float = 0.2) -> bytes:
        """The output that arrives within `seconds`."""
        if not select.select([self._ours], [], [], seconds)[0]:
            return b""
        try:
            data = os.read(self._ours, 4096)
        except OSError:  # on Linux, this means that the other end is closed
            return b""
        self.shown += data
        return data


@pytest.mark.parametrize(
    ("answer", "again", "status"),
    [
        # A signal right before the answer is read takes effect when a key is pressed. A second
        # signal could come after that, and end the interpreter during its exit.
        pytest.param(b"\x03", b"\n", 130, id="^C"),
        pytest.param(b"\x04", b"\x04", 130, id="^D"),
        pytest.param(b"n\n", b"n\n", 1, id="no"),
    ],
)
def test_who_does_not_confirm(answer: bytes, again: bytes, status: int) -> None:
    """After Ctrl-C at the question, the status is 130; after "no", it is 1. In both cases no
    request is sent."""
    with Terminal("topics", "delete", "t", "-b", NO_BROKER) as terminal:
        terminal.read_until(b"[y/N]")
        terminal.press(answer)
        assert terminal.ended(again) == status
    assert (b"nothing was done" in terminal.shown) == (status == 1)
    assert b"refused" not in terminal.shown


def test_ctrl_c_while_a_pipeline_is_read(tmp_path: Path) -> None:
    """The status is 130, and there is no traceback."""
    pytest.importorskip("pyspark", reason="the extra [spark] is not installed")
    file = tmp_path / "pipeline.py"
    file.write_text("raise KeyboardInterrupt\n")
    done = ended(started("pipeline", "validate", str(file)))
    assert (done.status, done.stdout) == (130, b"")
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("command", ["topics list", "topics list --json", "consume t -e -q"])
def test_a_full_disk(kafka_cluster: MockCluster, command: str, unbuffered: str) -> None:
    """If the output cannot be written, the status is 1, and the error names the file; the
    interpreter prints nothing."""
    kafka_cluster.create_topic("t")
    run("produce", "t", "-b", kafka_cluster.bootstrap_servers, stdin=b"a")
    with FULL.open("w") as full:
        done = subprocess.run(
            [*COMMAND, *command.split(), "-b", kafka_cluster.bootstrap_servers],
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=TIMEOUT,
        )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "error: stdout: No space left on device"
    assert "Exception ignored" not in done.stderr


@needs("raw-request", "mock-on-request")
def test_watch_into_a_pipe(
    monkeypatch: pytest.MonkeyPatch, kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """`groups describe --watch` repeats the lines without control characters; after Ctrl-C the
    status is 130."""
    waits = iter((None,))

    def sleep(_: float) -> None:
        if next(waits, KeyboardInterrupt) is KeyboardInterrupt:
            raise KeyboardInterrupt

    monkeypatch.setattr(groups, "time", SimpleNamespace(sleep=sleep))
    servers = kafka_cluster.bootstrap_servers
    to = ["--topic", f"{kafka_topic}:0", "--to", "0", "--execute"]
    assert run("groups", "reset-offsets", "g", *to, "-b", servers).status == 0
    done = run("groups", "describe", "g", "--watch", "0.1", "-b", servers)
    header = "group\ttopic\tpartition\tcommitted\tend\tlag\tmember\tclient\thost\n"
    assert done.stdout.decode() == 2 * f"{header}g\t{kafka_topic}\t0\t0\t0\t0\t-\t-\t-\n"
    assert done.status == 130


def test_typing_is_not_overwritten(
    kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer
) -> None:
    """At a terminal, `produce` shows only the typed text and the summary."""
    with Terminal("produce", kafka_topic, "-b", kafka_cluster.bootstrap_servers) as terminal:
        terminal.press(b"typed\n")
        consumer.assign([TopicPartition(kafka_topic, 0, 0)])
        message = consumer.poll(TIMEOUT)
        assert message is not None
        assert message.value() == b"typed"
        terminal.press(b"\x04")
        assert terminal.ended(b"\x04") == 0
    assert terminal.shown == b"typed\r\n1 delivered, 0 failed\r\n"


def test_the_progress_of_produce(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The bar shows how much of the files, or of the template's count, is delivered; for stdin that
    is not known."""
    file = tmp_path / "file"
    file.write_bytes(b"a\n" * 50)
    make = plain_maker({}, False)
    [first, stdin] = inputs_of([str(file), "-"], b"\n", False, make)
    assert (first.size, stdin.size) == (100, None)
    assert templated("x", None, {}, False, 7).size == 7
    display = Display(first.size)
    sender = Sender(cast(Producer, SenderOfNothing()), "t", -1, display, {}, None)
    batches = [b"a"] * 25, [b"a"] * 25
    shown = []
    monkeypatch.setattr(
        display, "update", lambda delivered, size: shown.append((delivered, size / 100))
    )
    sender.send(first._replace(batches=iter(batches)))
    assert shown == [(20, 0.4), (40, 0.8)]


class SenderOfNothing:
    """A producer that delivers 20 messages with each call, without sending them."""

    def produce_batch(self, *arguments: object, on_delivery: Any, block: float) -> int:
        self.report = on_delivery
        return 25

    def poll(self, seconds: float) -> None:
        for _ in range(20):
            self.report(None, None)


def test_debugging(kafka_cluster: MockCluster) -> None:
    """-X debug shows librdkafka's log on stderr; stdout is the same as without it."""
    servers = kafka_cluster.bootstrap_servers
    done = run("topics", "list", "-b", servers, "-X", "debug=all")
    assert (done.status, done.stdout) == (0, b"topic\tpartitions\treplicas\n")
    assert "ApiVersion" in done.stderr
    assert run("topics", "list", "-b", servers).stderr == ""


def test_version() -> None:
    """--version prints the versions of this package and of librdkafka."""
    expected = f"confluent-kafka {version()}, librdkafka {libversion()[0]}\n".encode()
    assert run("--version") == (0, expected, "")
