"""Run every client's transactions under faults, and print the table of anomalies."""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import fields
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.chaos.transactions.checker import Anomalies
from tests.chaos.transactions.run import PACKAGES, Found, run
from tests.integration.kafka_cluster import running_cluster
from tools.kafka import kafka_home

VERSIONS = {"1": [1], "2": [2], "both": [2, 1]}


def main() -> int:
    """Run all clients; return 1 if this project's client has an anomaly."""
    args = _arguments()
    console = Console()
    folder = Path(tempfile.mkdtemp(prefix="transactions-"))
    console.print(f"histories and logs are in {folder}")
    results = []
    with running_cluster(kafka_home(), folder / "kafka") as kafka:
        for client in args.clients or PACKAGES:
            for version in args.versions or VERSIONS:
                found = run(
                    kafka,
                    folder,
                    client=client,
                    versions=VERSIONS[version],
                    seconds=args.seconds,
                    applications=args.applications,
                    seed=args.seed,
                )
                results.append(found)
                console.print(_row(found), soft_wrap=True)
    console.print(_table(results))
    return 1 if any(each.client == "ours" and each.anomalies.any for each in results) else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.transactions", description=__doc__)
    parser.add_argument("--clients", nargs="+", choices=list(PACKAGES))
    parser.add_argument("--versions", nargs="+", choices=list(VERSIONS))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--applications", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def _row(found: Found) -> str:
    done = ", ".join(f"{count} {outcome}" for outcome, count in found.transactions.items())
    faults = ", ".join(f"{count} {kind}" for kind, count in found.faults.items())
    anomalies = {name: count for name, count in vars(found.anomalies).items() if count}
    return (
        f"{found.client}, version {found.version}: {done} transactions, {found.records} records;"
        f" {faults}; anomalies: {anomalies or 'none'}"
    )


def _table(results: list[Found]) -> Table:
    table = Table("client", "version", "transactions", "records")
    for each in fields(Anomalies):
        table.add_column(each.name.replace("_", " "), justify="right")
    for found in results:
        counts = [str(getattr(found.anomalies, each.name)) for each in fields(Anomalies)]
        total = str(found.transactions.total())
        table.add_row(found.client, found.version, total, str(found.records), *counts)
    return table


if __name__ == "__main__":
    sys.exit(main())
