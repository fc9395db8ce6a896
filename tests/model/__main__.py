"""Consumers against the model for as many examples as are wanted: a row for each client."""

from __future__ import annotations

import argparse
import time

from hypothesis import HealthCheck, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from confluent_kafka.testing import MockCluster
from tests.model.adapters import ADAPTERS
from tests.model.machine import machine_of


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.model", description=__doc__)
    parser.add_argument("--examples", type=int, default=500, help="of each client (%(default)s)")
    parser.add_argument("--steps", type=int, default=40, help="of an example (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="other examples (%(default)s)")
    parser.add_argument("--only", choices=ADAPTERS, help="one client")
    arguments = parser.parse_args()
    budget = settings(
        max_examples=arguments.examples,
        stateful_step_count=arguments.steps,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    for kind in [arguments.only] if arguments.only else ADAPTERS:
        began = time.monotonic()
        with MockCluster(3) as cluster:
            machine = seed(arguments.seed)(machine_of(kind, cluster))
            run_state_machine_as_test(machine, settings=budget)
        print(
            f"{kind}: {arguments.examples} examples, {time.monotonic() - began:.0f} s", flush=True
        )


if __name__ == "__main__":
    main()
