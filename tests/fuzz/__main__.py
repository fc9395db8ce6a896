"""Run a million inputs and ten thousand hostile frames; print one row for each kind.

Most inputs are drawn from a seed. For C code that reads structured data, `guided` inputs come from
libFuzzer. They need the extension that `make fuzz` compiles with clang.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

from tests.fuzz import guided

# Shares of the inputs. "boundary" tests hundreds of callables, and each other target tests one
# callable.
SHARES = {
    ("campaign", "boundary"): 0.3,
    ("campaign", "arrow"): 0.05,
    ("campaign", "headers"): 0.05,
    ("campaign", "configuration"): 0.05,
    ("campaign", "columns"): 0.1,
    ("campaign", "protobuf"): 0.05,
    ("guided", "arrow"): 0.07,
    ("guided", "headers"): 0.07,
    ("guided", "configuration"): 0.06,
    ("guided", "columns"): 0.1,
    ("guided", "json"): 0.05,
    ("guided", "protobuf"): 0.05,
}


def run(module: str, *arguments: str) -> bool:
    """Run a target in a process of its own, which may crash.

    The last line of its output names the round.
    """
    command = [sys.executable, "-X", "faulthandler", "-m", f"tests.fuzz.{module}", *arguments]
    result = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        print(result.stderr[-20_000:], f"{module} {arguments} ended with {result.returncode}")
    return result.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--frames", type=int, default=10_000)
    parser.add_argument("--seed", default="0")
    arguments = parser.parse_args()
    lacks = guided.missing()
    if lacks is not None:
        print(f"guided: {lacks}; these inputs are drawn from a seed, too")
    good = []
    for (module, target), share in SHARES.items():
        if inputs := round(arguments.inputs * share):
            driver = "campaign" if lacks is not None else module
            seed = f"--seed={arguments.seed}-{module}"
            good.append(run(driver, target, f"--inputs={inputs}", seed))
    if arguments.frames:
        good.append(run("frames", f"--frames={arguments.frames}", f"--seed={arguments.seed}"))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
