"""A program for libFuzzer: `fuzz_arrow` runs the target "arrow" of tests.fuzz.campaign.

build.sh makes one copy for each target; the name of the program contains the target.
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import atheris

from tests.fuzz.campaign import TARGETS
from tests.fuzz.guided import Drawn


def main() -> None:
    name = Path(sys.argv[0]).name.partition(".")[0].removeprefix("fuzz_")
    # Without a handler, clients would print their log.
    logging.getLogger().addHandler(logging.NullHandler())
    drawn = Drawn()
    with TARGETS[name](drawn) as target:

        def one_input(data: bytes) -> None:
            drawn.feed(data)
            target.step()

        atheris.Setup(sys.argv, one_input)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
