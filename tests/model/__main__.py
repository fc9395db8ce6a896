"""Run consumers against the model for a chosen number of examples; print a row for each client."""

from __future__ import annotations

import argparse
import logging
import time

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from confluent_kafka.testing import MockCluster
from tests.model.machines import CLIENTS, MACHINES, kinds


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.model", description=__doc__)
    parser.add_argument(
        "--examples", type=int, default=500, help="examples of each client (%(default)s)"
    )
    parser.add_argument("--steps", type=int, default=40, help="steps of each example (%(default)s)")
    parser.add_argument(
        "--seed", type=int, default=0, help="another seed draws other examples (%(default)s)"
    )
    parser.add_argument("--only", choices=CLIENTS, help="run only this client")
    parser.add_argument("--machine", choices=MACHINES, help="run only this machine")
    parser.add_argument("--first", action="store_true", help="do not shrink the first failure")
    arguments = parser.parse_args()
    budget = settings(
        max_examples=arguments.examples,
        stateful_step_count=arguments.steps,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        phases=[Phase.generate] if arguments.first else list(Phase),
        suppress_health_check=list(HealthCheck),
    )
    logging.getLogger("confluent_kafka").setLevel(logging.CRITICAL)
    for name, kind in kinds(arguments.machine, arguments.only):
        began = time.monotonic()
        with MockCluster(3) as cluster:
            machine = seed(arguments.seed)(MACHINES[name](kind, cluster))
            run_state_machine_as_test(machine, settings=budget)
        seconds = time.monotonic() - began
        print(f"{name}, {kind}: {arguments.examples} examples, {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
