"""Clients survive a hostile broker, and work again as soon as the broker sends valid frames.

`python -m tests.fuzz` sends ten thousand frames instead of a hundred.
"""

from __future__ import annotations

import re
import struct
from random import Random

from tests.support.hostile import spoil
from tests.support.scripts import run_script

FRAMES = 100


def test_clients_survive() -> None:
    """The clients neither crash nor hang. Afterwards, a message is delivered and read."""
    result = run_script(
        "import sys; from tests.fuzz.frames import main; sys.exit(main())",
        f"--frames={FRAMES}",
        "--seed=suite",
        timeout=150,  # more than the script's own limit for a hang
    )
    assert result.returncode == 0, result.stdout + result.stderr
    # The count can be higher than FRAMES, because the broker may spoil more frames at the end of a
    # round.
    sent = re.search(r"frames: (\d+) hostile", result.stdout)
    assert sent is not None
    assert int(sent[1]) >= FRAMES


def test_frames_are_spoilt() -> None:
    """Most spoilt frames differ from the response, and the broker's address in them does not
    change."""
    frame = b"\0\0\0\1" + bytes(range(100))
    keep = bytes(range(40, 60))
    good = struct.pack(">i", len(frame)) + frame
    spoilt = [spoil(Random(seed), frame, keep=b"no part of it") for seed in range(300)]
    assert sum(each != good for each in spoilt) > 250
    assert len({len(each) for each in spoilt}) > 50
    # These frames are complete, so that a client would read them to their end.
    whole = [
        each
        for seed in range(300)
        if (each := spoil(Random(seed), frame, keep=keep))[:4] == struct.pack(">i", len(each) - 4)
        and len(each) >= len(frame)
    ]
    assert whole
    assert all(keep in each for each in whole)
