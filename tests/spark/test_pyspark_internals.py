"""What PySpark does not document stands in one module, and costs only its feature if it is gone."""

from __future__ import annotations

import ast
import io
import sys
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")

import pyspark
from packaging.requirements import Requirement
from packaging.version import Version
from pyspark.messages import SparkSocketMessageReceiver

from confluent_kafka.spark import RdKafkaDataSource, pyspark_internals
from confluent_kafka.spark.pyspark_internals import UnsupportedPySpark
from confluent_kafka.spark.schema import source_schema
from confluent_kafka.spark.task_input import IncompleteInput, TaskInput

ROOT = Path(__file__).parents[2]
PACKAGE = Path(pyspark_internals.__file__).parent
# What Spark's guides and reference have pages for.
DOCUMENTED = {
    "pyspark",
    "pyspark.errors",
    "pyspark.pipelines",
    "pyspark.sql",
    "pyspark.sql.datasource",
    "pyspark.sql.functions",
    "pyspark.sql.streaming.datasource",
    "pyspark.sql.types",
}


SCHEMA = source_schema(headers=False)


def source(**options: str) -> RdKafkaDataSource:
    return RdKafkaDataSource({"kafka.bootstrap.servers": "any", **options})


def exactly_once_writer() -> object:
    options = {"topic": "t", "deliveryguarantee": "exactly-once"}
    return source(**options).streamWriter(SCHEMA, False)


def runtime_imports(tree: ast.Module) -> set[str]:
    """The modules of PySpark that a module imports, but for those that only type checkers do."""
    names = set()
    for node in tree.body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        for inner in ast.walk(node):
            if isinstance(inner, ast.ImportFrom) and inner.level == 0 and inner.module:
                names.add(inner.module)
            elif isinstance(inner, ast.Import):
                names |= {one.name for one in inner.names}
    return {name for name in names if name.split(".")[0] == "pyspark"}


def test_only_one_module_imports_what_is_not_documented() -> None:
    """Elsewhere a new release of PySpark cannot break an import."""
    for path in PACKAGE.rglob("*.py"):
        found = runtime_imports(ast.parse(path.read_text()))
        allowed = DOCUMENTED
        if path.name == "pyspark_internals.py":
            allowed = DOCUMENTED | {"pyspark.sql.pandas"}
        assert found <= allowed, path


def test_the_extra_allows_what_is_tested() -> None:
    """The minor version that is installed here, in the extra as in the requirements of tests."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extra = [Requirement(one) for one in project["optional-dependencies"]["spark"]]
    [allowed] = [one.specifier for one in extra if one.name == "pyspark"]
    assert allowed.contains(pyspark.__version__)
    here = Version(pyspark.__version__)
    assert not allowed.contains(f"{here.major}.{here.minor + 1}.0")
    lines = (ROOT / "requirements" / "spark.txt").read_text().splitlines()
    [tested] = [Requirement(one) for one in lines if one.startswith("pyspark")]
    assert tested.specifier == allowed


def test_a_task_finds_its_input() -> None:
    """In the frames below, as the worker's main function has it; its next byte means complete."""
    receiver = SparkSocketMessageReceiver(io.BufferedReader(io.BytesIO(b"x")))  # type: ignore[arg-type]
    TaskInput().check_complete()
    receiver = SparkSocketMessageReceiver(io.BufferedReader(io.BytesIO()))  # type: ignore[arg-type]
    with pytest.raises(IncompleteInput):
        TaskInput().check_complete()
    del receiver
    with pytest.raises(UnsupportedPySpark, match="does not find the stream of its rows"):
        TaskInput()


def test_a_missing_part_costs_its_feature_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exactly once is refused on the driver, with the versions; at least once goes on."""
    exactly_once_writer()
    monkeypatch.delattr("pyspark.messages.SparkSocketMessageReceiver")
    with pytest.raises(UnsupportedPySpark) as refused:
        exactly_once_writer()
    wanted = f"deliveryGuarantee=exactly-once does not work with PySpark {pyspark.__version__}: "
    assert str(refused.value).startswith(wanted)
    assert str(refused.value).endswith("Use PySpark 4.3")
    source(topic="t").streamWriter(SCHEMA, False)
    source(subscribe="t").reader(SCHEMA)
    monkeypatch.setitem(sys.modules, "pyspark.sql.pandas.types", None)
    monkeypatch.delattr("pyspark.sql.pandas.types")
    with pytest.raises(UnsupportedPySpark, match="reading does not work with PySpark"):
        source(subscribe="t").reader(SCHEMA)


def test_a_task_without_spark_s_names_is_refused() -> None:
    """Which batch a task writes decides whether it is written already: it is never guessed."""
    with pytest.raises(UnsupportedPySpark, match="there is no TaskContext"):
        pyspark_internals.streaming_task()
