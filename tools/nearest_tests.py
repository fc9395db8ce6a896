"""Prints the tests nearest to the changes since main, for `make check`.

A changed test is its own nearest test. NEAREST lists the tests for other files; CORE is for files
that everything depends on. No test takes long: tests that start brokers or Spark are left to `make
test`.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def _unit(*names: str) -> tuple[str, ...]:
    return tuple(f"tests/unit/test_{name}.py" for name in names)


def _embedded(*names: str) -> tuple[str, ...]:
    return tuple(f"tests/embedded/test_{name}.py" for name in names)


def _spark(*names: str) -> tuple[str, ...]:
    return tuple(f"tests/spark/test_{name}.py" for name in names)


CORE = (
    *_unit("*"),
    *_embedded("admin", "callbacks", "consumer_fetch", "consumer_group", "producer_messages"),
)
ADMIN = (*_unit("admin", "uuid", "value_classes"), *_embedded("admin"))
DOCUMENTS = (*_unit("snippets"), *_embedded("*documentation", "*documents", "stories"))
DROPPED = ("tests/leaks/test_dropped_clients.py",)
SERDES = (
    *_unit("legacy_avro", "schema_registry*", "serialization*"),
    *_embedded("aio_serdes", "legacy_avro_clients", "serializing_clients", "share_deserializing"),
)
# The Spark tests that do not start Spark.
SPARK = _spark(
    "filters",
    "java_properties",
    "offsets",
    "options",
    "pipeline_[!k]*",
    "pool",
    "pyspark_internals",
    "read_plans",
    "schema",
    "selection",
    "splitting",
    "write_options",
)

# The first pattern that matches a file gives its tests.
NEAREST: dict[str, tuple[str, ...]] = {
    "src/confluent_kafka/csrc/values/*": (
        *_unit("headers", "kafka_error", "message", "partitioners", "topic_partition", "uuid"),
        *_embedded("message_origins", "metadata"),
    ),
    "src/confluent_kafka/csrc/client/*": (
        *_unit("config*", "exit", "fork", "interpreter_lock", "life_cycle", "logging"),
        *_unit("signals", "wakeup"),
        *_embedded("callbacks*", "connect", "oauth", "threads"),
        *DROPPED,
    ),
    "src/confluent_kafka/csrc/producer/*": (*_unit("partitioners"), *_embedded("producer*")),
    "src/confluent_kafka/csrc/consumer/*": (
        *_embedded("callbacks_of_rebalances", "consume*", "pause_while", "threads"),
        *DROPPED,
    ),
    "src/confluent_kafka/csrc/share/*": (
        *_unit("share_consumer"),
        *_embedded("share_*"),
        "tests/leaks/test_share_leaks.py",
    ),
    "src/confluent_kafka/csrc/admin/*": ADMIN,
    "src/confluent_kafka/csrc/arrow/*": (*_unit("arrow*"), *_embedded("arrow*")),
    "src/confluent_kafka/csrc/mock/*": _embedded("cluster_command", "mock*", "patches_mock"),
    "src/confluent_kafka/_java/*": (
        *_unit("command_line_files", "java_stores"),
        *_spark("java_properties"),
    ),
    "src/confluent_kafka/_concealing.py": (
        *_unit("command_line_profiles"),
        *_spark("pipeline_checks"),
    ),
    "src/confluent_kafka/admin/*": ADMIN,
    "src/confluent_kafka/aio/*": (*_embedded("aio*"), "tests/leaks/test_aio_leaks.py"),
    "src/confluent_kafka/avro/*": SERDES,
    "src/confluent_kafka/cli/*": (
        *_unit("command_line*"),
        *_embedded("c*_command", "command_line*"),
    ),
    "src/confluent_kafka/schema_registry/*": SERDES,
    "src/confluent_kafka/serialization/*": SERDES,
    "src/confluent_kafka/*serializing*": SERDES,
    "src/confluent_kafka/spark/*": SPARK,
    "src/confluent_kafka/testing/*": (
        *_unit("mock_registry"),
        *_embedded("mock*", "pytest_plugin"),
    ),
    "src/confluent_kafka/cimpl.pyi": _unit("stub*"),
    "src/confluent_kafka/statistics.py": _unit("statistics"),
    "src/pyspark_rdkafka/*": SPARK,
    "docs/*": DOCUMENTS,
    "README.md": DOCUMENTS,
    "examples/*": (*DOCUMENTS, *_embedded("examples")),
    "tools/configuration_properties.py": _unit("command_line_config", "site_tables"),
    "tools/kafka*": _unit("kafka_news"),
    "tools/protocol.py": _unit("kafka_news", "protocol"),
    "tools/librdkafka.py": _unit("build_info", "librdkafka*"),
    "tools/prerequisites.py": _unit("prerequisites"),
    "tools/reproducible.py": _unit("reproducible"),
    "tools/sbom.py": _unit("sbom"),
    "tools/patches/*": _embedded("*patches*"),
    "tools/gil.py": _unit("gil_check"),
    "tools/stub_docs.py": _unit("stub_docs"),
    "tools/nearest_tests.py": _unit("nearest_tests"),
    "tests/chaos/*": _unit("chaos*"),
    "tests/fuzz/oss_fuzz/*": ("tests/fuzz/test_oss_fuzz.py",),
    "tests/fuzz/*": ("tests/fuzz/test_claims.py", "tests/fuzz/test_guided.py"),
    "tests/spark/*": SPARK,
}


def changed_files() -> list[str]:
    """Return the files with changes that are not on main, committed or not."""
    known = _git("merge-base", "HEAD", "main") or ["HEAD"]
    untracked = _git("ls-files", "--others", "--exclude-standard")
    return [*_git("diff", "--name-only", "--no-renames", *known), *untracked]


def _git(*arguments: str) -> list[str]:
    command = ["git", *arguments]
    return subprocess.run(
        command, cwd=ROOT, check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ).stdout.splitlines()


def is_test(name: str) -> bool:
    return fnmatchcase(name, "tests/*/test_*.py")


def patterns_for(name: str) -> tuple[str, ...]:
    """Return the patterns of the tests nearest to the file `name`."""
    if is_test(name):
        return (name,)
    return next((tests for start, tests in NEAREST.items() if fnmatchcase(name, start)), CORE)


def nearest_tests(changed: Iterable[str]) -> list[str]:
    """Return the existing test files nearest to the changes; CORE's files if there are none."""
    return _found({each for name in changed for each in patterns_for(name)}) or _found(CORE)


def _found(patterns: Iterable[str]) -> list[str]:
    return sorted({str(path.relative_to(ROOT)) for each in patterns for path in ROOT.glob(each)})


if __name__ == "__main__":
    print(*nearest_tests(changed_files()), sep="\n")
