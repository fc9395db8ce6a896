"""`python -m tests.fuzz`: a million inputs, ten thousand hostile frames, one row for each kind."""

from __future__ import annotations

import argparse
import subprocess
import sys

# Shares of the inputs: a call at the boundary is one of two hundred, the others are one each.
SHARES = {"boundary": 0.7, "arrow": 0.1, "headers": 0.1, "configuration": 0.1}


def run(module: str, *arguments: str) -> bool:
    """In a process of its own, which may crash; its last output says where it was."""
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
    seed = f"--seed={arguments.seed}"
    inputs = {target: round(arguments.inputs * share) for target, share in SHARES.items()}
    good = [run("campaign", name, f"--inputs={n}", seed) for name, n in inputs.items() if n]
    if arguments.frames:
        good.append(run("frames", f"--frames={arguments.frames}", seed))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
