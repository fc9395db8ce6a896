"""Only one module uses undocumented parts of PySpark; a missing part disables only its feature."""

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
# The modules that Spark's guides and reference document.
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
    """The modules of PySpark that a module imports at run time."""
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
    """A new release of PySpark cannot break an import in other modules."""
    for path in PACKAGE.rglob("*.py"):
        found = runtime_imports(ast.parse(path.read_text()))
        allowed = DOCUMENTED
        if path.name == "pyspark_internals.py":
            allowed = DOCUMENTED | {"pyspark.sql.pandas"}
        assert found <= allowed, path


def test_the_extra_allows_what_is_tested() -> None:
    """The extra and the requirements of the tests allow the installed minor version alone."""
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
    """The task finds the stream of its rows in its caller's frames, as in Spark's worker.

    Another byte in the stream means that the rows are complete.
    """
    receiver = SparkSocketMessageReceiver(io.BufferedReader(io.BytesIO(b"x")))  # type: ignore[arg-type]
    TaskInput().check_complete()
    receiver = SparkSocketMessageReceiver(io.BufferedReader(io.BytesIO()))  # type: ignore[arg-type]
    with pytest.raises(IncompleteInput):
        TaskInput().check_complete()
    del receiver
    with pytest.raises(UnsupportedPySpark, match="does not find the stream of its rows"):
        TaskInput()


def test_a_missing_part_costs_its_feature_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver refuses exactly-once, and names the versions; at-least-once still works."""
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
    """Whether a task's batch is already written depends on its number, so it is never guessed."""
    with pytest.raises(UnsupportedPySpark, match="there is no TaskContext"):
        pyspark_internals.streaming_task()
