"""`confluent-kafka doctor` shows what is installed, and whether it can reach a cluster."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from confluent_kafka import _diagnosis, build_info, version
from confluent_kafka.testing import MockCluster
from tests.support.kafka import NO_BROKER
from tests.support.waiting import TIMEOUT

pytest.importorskip("click", reason="the extra [cli] is not installed")

from tests.support.command_line import Ended, run

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Removes the machine's own settings."""
    monkeypatch.delenv("KAFKA_BOOTSTRAP_SERVERS", raising=False)


def rows(done: Ended) -> dict[str, str]:
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return {row["part"]: row["found"] for row in found}


def test_what_there_is() -> None:
    """Package, librdkafka, patches, features and extras match build_info() and the installed
    packages. Without brokers, no request is sent."""
    done = run("doctor", "--json")
    assert done.status == 0
    found = rows(done)
    info = build_info()
    assert found["package"].startswith(f"confluent-kafka {version()} in ")
    assert info["librdkafka"] in found["librdkafka"]
    assert found["features"].split(", ") == info["features"]
    missing = [name for names in info["missing_patches"].values() for name in names]
    assert all(name in found["patches"] for name in missing)
    assert "click " in found["extra [cli]"]
    assert "missing" not in found["extra [cli]"]
    assert found["connection"].startswith("not tested")


def test_a_connection(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """`doctor` shows how many brokers and topics there are, and which transactions producers
    use."""
    done = run("doctor", "--json", "-b", kafka_cluster.bootstrap_servers)
    assert (done.status, done.stderr) == (0, "")
    assert rows(done)["connection"].startswith("works: 3 brokers, 1 topic, cluster ")
    assert rows(done)["transactions"].startswith("version 2")


def test_no_connection() -> None:
    """If no broker answers, the status is 1, with the reason; all other rows are shown
    nevertheless."""
    done = run("doctor", "--json", "-b", NO_BROKER)
    assert done.status == 1
    assert "refused" in rows(done)["connection"]
    assert "librdkafka" in rows(done)
    assert "refused" in done.stderr


def test_another_distribution(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """If another project of this name is installed, `doctor` reports it."""
    folder = tmp_path / "confluent_kafka-2.0.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Name: confluent-kafka\nVersion: 2.0.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = rows(run("doctor", "--json"))["distribution"]
    assert f"2.0.0 in {tmp_path}" in found
    assert f"PROBLEM, the package that is imported is {version()}" in found


def test_a_package_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The row of the extra names the missing package."""
    monkeypatch.setitem(_diagnosis.EXTRAS, "avro", ("pytest", "no-such-package"))
    assert rows(run("doctor", "--json"))["extra [avro]"].startswith("missing: no-such-package; py")


def test_extras() -> None:
    """The table of extras matches pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {
        extra: tuple(re.split(r"[<>=!~\[ ]", one)[0] for one in requirements)
        for extra, requirements in project["optional-dependencies"].items()
    }
    assert declared == _diagnosis.EXTRAS


def test_without_the_extra() -> None:
    """`doctor` works without click, too, because it has to report a missing extra."""
    script = (
        "import runpy, sys\n"
        "sys.modules['click'] = None\n"
        "sys.argv = ['confluent_kafka', 'doctor']\n"
        "runpy.run_module('confluent_kafka', run_name='__main__')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=TIMEOUT
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert f"package\tconfluent-kafka {version()} in " in done.stdout


def test_all_missing_packages_at_once() -> None:
    """Another command names all missing packages at once; `pipeline` also names what Spark
    needs."""
    script = (
        "import runpy, sys\n"
        "for name in ('click', 'rich', 'pyspark', 'pyarrow', 'pandas'):\n"
        "    sys.modules[name] = None\n"
        "sys.argv = ['confluent_kafka', *sys.argv[1:]]\n"
        "runpy.run_module('confluent_kafka', run_name='__main__')\n"
    )
    for arguments, missing, needed in (
        (["topics", "list"], "click, rich", "'click>=8.2.1' rich"),
        (
            ["pipeline", "run", "p.toml"],
            "click, rich, pyspark, pyarrow, pandas",
            "'click>=8.2.1' rich 'pyspark>=4.3,<4.4' 'pyarrow>=18' 'pandas>=2.2,<3'",
        ),
    ):
        done = subprocess.run(
            [sys.executable, "-c", script, *arguments],
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
        )
        assert done.returncode == 1
        assert done.stderr == (
            f"The command line needs packages that are missing or too old: {missing}.\n"
            f"Install them with: python -m pip install {needed}\n"
        )
