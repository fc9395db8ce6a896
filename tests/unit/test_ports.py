"""The ports for tests are free, and no other process gets them."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

from tests.support.ports import END, FIRST, is_free, next_port

ROOT = Path(__file__).resolve().parents[2]


def test_ports_are_below_those_of_connections() -> None:
    """The kernel never gives these ports to a socket that asks for any free port."""
    file = Path("/proc/sys/net/ipv4/ip_local_port_range")
    lowest = int(file.read_text().split()[0]) if file.exists() else 49152
    assert 1024 <= FIRST < END <= lowest


def test_a_port_is_given_once() -> None:
    ports = [next_port() for _ in range(60)]
    assert len(set(ports)) == len(ports)


def test_a_port_in_use_is_not_free() -> None:
    port = next_port()
    assert is_free(port)
    with socket.create_server(("127.0.0.1", port)):
        assert not is_free(port)


def test_another_process_has_other_ports() -> None:
    """Two running test processes never get the same port."""
    mine = {next_port() for _ in range(3)}
    program = "from tests.support.ports import next_port; print(*(next_port() for _ in range(60)))"
    printed = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, cwd=ROOT
    ).stdout
    assert mine.isdisjoint(map(int, printed.split()))
