"""Change each response to each call in every way, and count the results.

The figures are for docs/project/reliability.md.

python -m tests.matrix                    # all cases, which takes hours
python -m tests.matrix --cases 500        # 500 random cases per call, drawn with the seed
python -m tests.matrix admin --seconds 60
"""

from __future__ import annotations

import argparse
import sys

from tests.matrix.calls import CALLS
from tests.matrix.runs import Figures, run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.matrix", description=__doc__)
    parser.add_argument(
        "clients", nargs="*", help="only these, such as admin or admin.create_topics"
    )
    parser.add_argument(
        "--cases", type=int, default=0, help="number of cases for each call (0: all)"
    )
    parser.add_argument("--seconds", type=float, default=1e9, help="the longest time for each call")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--kind", default="", help="only changes with this in their name")
    arguments = parser.parse_args()
    options = [
        f"--{name}={getattr(arguments, name)}" for name in ("cases", "seconds", "seed", "kind")
    ]
    everything, of_client = Figures(), {}
    for name, call in CALLS.items():
        if arguments.clients and not {name, call.client} & set(arguments.clients):
            continue
        figures = run(name, *options)
        print(
            f"{name:40} {figures.cases:6} cases: {figures.returned} returned, "
            f"{figures.raised} raised, the slowest took {figures.slowest:.1f} s, "
            f"{len(figures.found)} found",
            flush=True,
        )
        for found in figures.found:
            print("   ", found, flush=True)
        of_client.setdefault(call.client, Figures()).add(figures)
        everything.add(figures)
    for client, figures in [*of_client.items(), ("all", everything)]:
        numbers = (figures.cases, figures.returned, figures.raised, len(figures.found))
        print("|", client, *(f"| {number:,}" for number in numbers), "|")
    return 1 if everything.found else 0


if __name__ == "__main__":
    sys.exit(main())
