"""Every snippet of these pages is run by a test, or is listed here with the reason.

All other pages are run from top to bottom (tests/embedded/test_stories.py).
"""

from __future__ import annotations

import ast
import re

import pytest

from tests.support.documents import DOCUMENTS, ROOT, Snippet, snippets

EMBEDDED = "tests/embedded/test_documentation.py"
SERIALIZATION = "tests/embedded/test_serialization_documentation.py"
SHARE = "tests/embedded/test_share_documents.py"
INTEGRATION = "tests/integration/test_documents.py"
SPARK = "tests/spark/test_documents.py"

# A snippet is identified by a text that no other snippet of its document contains. The test of the
# snippet uses this text, too.
RUN = {
    "docs/guides/arrow.md": {"import polars": EMBEDDED},
    "docs/guides/pipelines.md": {
        "[sources.flights]": "tests/spark/test_pipeline.py",
        "threading.Event()": SPARK,
        "declare(load(": "tests/spark/test_declarative.py",
        "@dp.table": "tests/spark/test_declarative.py",
    },
    "docs/guides/serialization.md": {
        "SerializingProducer(": SERIALIZATION,
        "AvroSerializer(": SERIALIZATION,
        "AsyncJSONSerializer(": SERIALIZATION,
    },
    "docs/guides/share-groups.md": {
        "consumer.commit_sync()\n": SHARE,
        "share.auto.offset.reset=earliest": INTEGRATION,
        "reset-offsets workers": INTEGRATION,
        "share-groups offsets workers": INTEGRATION,
        "def acknowledgement": SHARE,
        "def answered": SHARE,
        "renewing(consumer)": SHARE,
    },
    "docs/guides/spark.md": {
        "SparkSession.builder.getOrCreate()": SPARK,
        "CREATE TEMPORARY VIEW": SPARK,
        "source_metrics(": "tests/spark/test_read_spark.py",
        '.option("valueFormat", "avro")': "tests/spark/test_typed_columns.py",
    },
    "docs/guides/spark-writing.md": {
        "exactly-once": SPARK,
        '.option("valueFormat", "avro")': "tests/spark/test_typed_writes.py",
    },
}

MAKE = "builds what the tests themselves run in"
CTRL_C = "runs until Ctrl-C; "
NEEDS_CLUSTER = "needs a cluster of Spark"
NOT_RUN = {
    "docs/project/design.md": {"C extension": "a drawing"},
    "docs/start/installation.md": {
        "make wheel": MAKE,
        "export PIP_CONSTRAINT": "a setting for later; tests/installation/test_commands.py sets it",
        "--print archive": "may download the sources; tests/unit/test_librdkafka_tool.py runs it",
        "export LIBRDKAFKA_ARCHIVE": "a setting for the next command",
        "-m pip wheel": "builds the package; `make release` does the same with the sdist",
    },
    "docs/project/librdkafka.md": {
        "pprint": "prints what tests/unit/test_build_info.py looks at",
        "git clone": "downloads another librdkafka",
        "--without": "builds librdkafka for every patch: many minutes",
    },
    "docs/coming-from/confluent-kafka.md": {"make wheel": MAKE},
    "docs/coming-from/aiokafka.md": {
        "as aiokafka\n": "every test of the face has this import",
        'install("aiokafka")': "tests/unit/test_aiokafka_install.py has programs that begin so",
        "run --as aiokafka app.py": "tests/unit/test_aiokafka_install.py runs programs of its own",
        "run --as aiokafka -m": "tests/unit/test_aiokafka_install.py runs a module of its own",
    },
    "docs/coming-from/kafka-python-0.9.md": {
        "as kafka\n": "every test of the face has this import",
        'generation="0.9"': "tests/unit/test_kafka_0_9_install.py has programs that begin so",
        "run --as kafka:0.9": "tests/unit/test_kafka_0_9_install.py runs a program",
    },
    "docs/coming-from/kafka-python-2.md": {
        "as kafka\n": "every test of the face has this import",
        'generation="2"': "tests/unit/test_kafka_2_install.py has programs that begin so",
        "run --as kafka:2": "tests/unit/test_kafka_2_install.py runs a program",
    },
    "docs/coming-from/kafka-python.md": {
        "as kafka\n": "every test of the face has this import",
        'install("kafka")': "tests/unit/test_kafka_python_install.py has programs that begin so",
        "run --as kafka app.py": "tests/unit/test_kafka_python_install.py runs a program",
        "run --as kafka -m": "tests/unit/test_aiokafka_install.py runs a module of its own",
    },
    "docs/guides/pipelines.md": {
        "cluster --port 9092": "a fixed port; tests/embedded/test_cluster_command.py takes any",
        "topics create $topic": "tests/spark/test_documents.py creates the same topics",
        '"dep_delay": 4}': "tests/spark/test_documents.py sends the same flights",
        '"dep_delay": 10}': "tests/spark/test_documents.py sends the same flights",
        "consume delays": CTRL_C + "tests/spark/test_documents.py reads the same topic",
        "pipeline validate": "tests/spark/test_pipeline.py runs it with a file of its own",
        "pipeline explain": "tests/spark/test_pipeline.py runs it with a file of its own",
        "pipeline run": CTRL_C + "tests/spark/test_pipeline.py runs it with a file of its own",
        "10 minuts": "errors; tests/spark/test_pipeline_checks.py has their texts",
    },
    "docs/operations/scaling.md": {
        "start-master.sh": NEEDS_CLUSTER,
        "venv-pack": "needs YARN",
        "FROM apache/spark": "needs Docker; its pip command is run",
        "k8s://": "needs Kubernetes",
    },
    "docs/guides/spark.md": {"kafka-consumer-groups.sh": "a program of Apache Kafka"},
}


def named(document: str) -> list[str]:
    return [*RUN.get(document, {}), *NOT_RUN.get(document, {})]


def installs(snippet: Snippet) -> bool:
    """Whether the snippet is a command that tests/installation finds by itself."""
    return snippet.language == "console" and "-m pip install " in snippet.text


@pytest.mark.parametrize("document", RUN | NOT_RUN)
def test_every_snippet_is_named_once(document: str) -> None:
    """Each snippet has a test, or a reason why it has no test. Each name belongs to one snippet."""
    found = [snippet.text for snippet in snippets(document) if not installs(snippet)]
    names = [[name for name in named(document) if name in text] for text in found]
    assert [text for text, fit in zip(found, names, strict=True) if len(fit) != 1] == []
    assert sorted(name for fit in names for name in fit) == sorted(named(document))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_block_is_python(document: str) -> None:
    """Every Python snippet can be compiled."""
    for snippet in snippets(document):
        if snippet.language == "python":
            compile(snippet.text, document, "exec")


@pytest.mark.parametrize("document", RUN)
def test_tests_have_the_snippets(document: str) -> None:
    """The test that runs a snippet contains the snippet's name."""
    for name, test in RUN[document].items():
        tree = ast.walk(ast.parse((ROOT / test).read_text(encoding="utf-8")))
        texts = [
            one.value
            for one in tree
            if isinstance(one, ast.Constant) and isinstance(one.value, str)
        ]
        assert name in texts, f"{test} does not run {name!r}"


def test_reasons_name_tests_that_exist() -> None:
    """If a reason names a test, that test exists."""
    reasons = [reason for each in NOT_RUN.values() for reason in each.values()]
    for test in re.findall(r"tests/\S+\.py", " ".join(reasons)):
        assert (ROOT / test).exists()
