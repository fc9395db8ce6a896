"""Ctrl-C in commands that wait."""

from __future__ import annotations

import signal
import subprocess
import sys
import tomllib
from importlib import import_module

import pytest

from tests.support.documents import ROOT
from tests.support.kafka import NO_BROKER
from tests.support.scripts import check_script

pytest.importorskip("click", reason="the extra [cli] is not installed")

from tests.support.command_line import run

INTERRUPTED_INSIDE_WAIT = """\
import signal, threading
from confluent_kafka.cli.commands.pipeline import _set_on_signals

stopped = threading.Event()
_set_on_signals(stopped)
with stopped._cond:  # as wait() holds it for a moment, again and again
    signal.raise_signal(signal.SIGINT)
assert stopped.wait(30)
"""


def test_ctrl_c_ends_a_pipeline_wherever_it_comes() -> None:
    """The signal handler does not wait for a lock that the interrupted thread holds."""
    subprocess.run([sys.executable, "-c", INTERRUPTED_INSIDE_WAIT], check=True, timeout=60)


INTERRUPTED_IMPORT = """\
import os, signal, sys

module = sys.argv[1]

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            os.kill(os.getpid(), signal.SIGINT)

# A shell that starts the tests in the background lets them ignore the signal.
signal.signal(signal.SIGINT, signal.default_int_handler)
from confluent_kafka.__main__ import main
sys.meta_path.insert(0, Interrupting())
sys.argv[1:] = ["consume", "t", "-b", "127.0.0.1:1", "--timeout", "0.1"]
main()
"""


@pytest.mark.parametrize(
    "module", ["confluent_kafka.cli", "click", "confluent_kafka.cli.commands.consume"]
)
def test_ctrl_c_while_a_command_is_imported(module: str) -> None:
    """The signal ends the process at once, without a traceback."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_IMPORT, module], capture_output=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")


def test_ctrl_c_while_the_package_is_imported() -> None:
    """The script `confluent-kafka` begins in a module outside of the package, and so it handles
    the signal before Python imports the package."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    module, function = project["project"]["scripts"]["confluent-kafka"].split(":")
    assert module in project["tool"]["setuptools"]["py-modules"]
    script = INTERRUPTED_IMPORT.replace(
        "confluent_kafka.__main__ import main", f"{module} import {function} as main"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "confluent_kafka"], capture_output=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")


def test_an_ignored_ctrl_c_stays_ignored() -> None:
    """If a program that ignores the signal starts a command, the command also ignores the
    signal."""
    check_script(f"""
    import io, signal, sys
    from confluent_kafka.__main__ import main

    sys.stderr = io.StringIO()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.argv[1:] = ["topics", "list", "-b", {NO_BROKER!r}, "--timeout", "0.1"]
    try:
        main()
    except SystemExit:
        pass
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    """)


def test_ctrl_c_before_the_command_connects(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exit status is 130, as after a later Ctrl-C, and the command prints nothing."""

    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(
        import_module("confluent_kafka.cli.commands.consume"), "settings", interrupt
    )
    assert run("consume", "t", "-b", NO_BROKER) == (130, b"", "")
