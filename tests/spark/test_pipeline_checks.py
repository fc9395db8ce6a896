"""Pipelines are checked before anything starts: these tests need neither Spark nor a broker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")

from pyspark.sql.types import ArrayType, IntegerType, LongType, MapType, StringType, StructType

from confluent_kafka.spark.formats.ddl import parse_ddl
from confluent_kafka.spark.pipeline import (
    Encoding,
    Pipeline,
    PipelineError,
    Registry,
    Sink,
    Source,
    Step,
    check,
    conceal,
    load,
)
from confluent_kafka.spark.pipeline.failures import cause
from confluent_kafka.spark.pipeline.graph import order
from confluent_kafka.spark.pipeline.lines import key_lines
from confluent_kafka.spark.pipeline.sql import streaming, tables
from tests.support.secrets import secret

GOOD = """\
name = "delays"
checkpoint = "checkpoint"
trigger = "availableNow"

[kafka]
bootstrap.servers = "broker:9092"

[spark]
spark.sql.shuffle.partitions = 2

[sources.flights]
topics = ["flights"]
value = { format = "json", schema = "carrier STRING, delay INT" }
dead_letter = "dead"

[sources.flights.options]
startingOffsets = "earliest"
maxOffsetsPerTrigger = 1000

[steps.late]
sql = '''
SELECT value.carrier
FROM flights
topics = 3
'''

[sinks.late]
input = "late"
topic = "late"
key = { format = "string", columns = ["carrier"] }

[sinks.files]
format = "parquet"
input = "late"
path = "files"
"""


def problems(tmp_path: Path, *changes: tuple[str, str], **environment: str) -> list[str]:
    """The problems of the good pipeline after the changes, without the directory in their paths."""
    text = GOOD
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file = tmp_path / "p.toml"
    file.write_text(text)
    try:
        load(file, environment)
    except PipelineError as error:
        return [line.replace(f"{tmp_path}/", "") for line in str(error).splitlines()]
    return []


def test_a_good_pipeline_is_loaded(tmp_path: Path) -> None:
    """Dotted settings are joined, numbers become strings, and a string is short for a format."""
    file = tmp_path / "p.toml"
    file.write_text(GOOD)
    pipeline = load(file)
    assert pipeline.kafka == {"bootstrap.servers": "broker:9092"}
    assert pipeline.spark == {"spark.sql.shuffle.partitions": "2"}
    assert pipeline.sources["flights"].options["maxOffsetsPerTrigger"] == "1000"
    assert pipeline.sources["flights"].value.format == "json"
    assert pipeline.sinks["late"].value == Encoding()


MANY = """\
name = "delays"
chekpoint = "checkpoint"
comment = "not a key"
trigger = 5

[kafka]
bootstrap.servers = "${BROKER}"

[sources.flights]
topics = ["flights"]
value = { format = "jsn", schema = "carrier STRING, delay INT" }
watermark = { column = "timestamp", delay = "soon" }

[steps.late]
sql = "SELECT value.carrier FROM flighs"

[sinks.late]
inptu = "nowhere"
topic = 7

[sinks.files]
format = "parquet"
input = "late"
"""


def test_all_problems_at_once(tmp_path: Path) -> None:
    """One check reports unknown keys, wrong types, missing variables and every other problem.

    A broken value is reported once: checks that depend on it are skipped.
    """
    file = tmp_path / "p.toml"
    file.write_text(MANY)
    with pytest.raises(PipelineError) as raised:
        load(file, {})
    found = {".".join(one.key): one.message for one in raised.value.problems}
    assert found == {
        "kafka.bootstrap.servers": "the environment variable BROKER is not set",
        "chekpoint": "unknown key: did you mean 'checkpoint'?",
        "comment": found["comment"],
        "trigger": "needs a string, not a whole number",
        "sources.flights.value.format": "cannot be 'jsn': did you mean 'json'?",
        "sources.flights.watermark.delay": "'soon' is not an interval such as '10 minutes'",
        "steps.late.sql": "there is no view 'flighs': did you mean 'flights'?",
        "sinks.late.inptu": "unknown key: did you mean 'input'?",
        "sinks.late.input": "there is no view 'nowhere': there is flights, late",
        "sinks.late.topic": "needs a string, not a whole number",
        "sinks.files": "the key 'path' is missing: the format parquet needs it",
    }
    assert found["comment"].startswith("unknown key: there is name, checkpoint")
    assert len(raised.value.problems) == len(found)


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        (
            "dead_letter",
            "dead_leter",
            "p.toml:14: sources.flights.dead_leter: unknown key: did you",
        ),
        ("[sinks.late]", "[sink.late]", "p.toml:27: sink: unknown key: did you mean 'sinks'?"),
        ('"json"', '"jsn"', "p.toml:13: sources.flights.value.format: cannot be 'jsn': did you"),
        ("delay INT", "delay IMT", "p.toml:13: sources.flights.value.schema: the schema needs a"),
        ('["flights"]', '"flights"', "p.toml:12: sources.flights.topics: needs a list of strings"),
        ('topics = ["flights"]\n', "", "p.toml:11: sources.flights: the key 'topics' is missing"),
        ('name = "delays"\n', "", "p.toml: the pipeline: the key 'name' is missing"),
        ('"earliest"', '"erliest"', "p.toml:17: sources.flights.options.startingOffsets: option"),
        ("maxOffsetsPer", "maxOfsetsPer", "p.toml:18: sources.flights.options.maxOfsetsPerTrigg"),
        ("bootstrap.servers", "client.id", "p.toml: the pipeline: the key 'bootstrap.servers'"),
        (
            "FROM flights",
            "FROM flighs",
            "p.toml:21: steps.late.sql: there is no view 'flighs': did",
        ),
        ("FROM flights", "FROM late", "p.toml:20: steps.late: the steps form a cycle: la"),
        ('"availableNow"', '"now"', "p.toml:3: trigger: 'now' is neither availableNow nor an in"),
        ('input = "late"\ntopic', 'input = "lat"\ntopic', "p.toml:28: sinks.late.input: there is"),
        ('topic = "late"\n', "", "p.toml:27: sinks.late: the key 'topic' is missing"),
        ('"parquet"', '"console"', "p.toml:35: sinks.files.path: the format console does"),
        ('columns = ["carrier"]', "columns = []", "p.toml:30: sinks.late.key: the format string"),
        ('"string"', '"avro"', "p.toml:30: sinks.late.key: the format avro needs the table [regis"),
        ('"string"', '"string", subject = "s"', "p.toml:30: sinks.late.key.subject: the format st"),
        (
            'topic = "late"\n',
            'topic = "late"\noptions.valueFormat = "avro"\n',
            "p.toml:30: sinks.late.options: use sinks.late.value instead of the option",
        ),
        ("spark.sql.shuffle", "sql.shuffle", "p.toml:9: spark.sql.shuffle.partitions: Spark's se"),
        ('"json", schema = "carrier STRING, delay INT"', '"avro"', "p.toml:13: sources.flights.va"),
        ('"broker:9092"', '"${NOT_THERE}"', "p.toml:6: kafka.bootstrap.servers: the environment"),
        ("name = ", "name = = ", "p.toml: the pipeline: is not TOML: Invalid value (at line 1"),
        ("[steps.late]", "[steps.Flights]", "p.toml:20: steps.Flights: sources.flights has this"),
        (
            'topic = "late"\n',
            'topic = "late"\noutput_mode = "update"\noptions.deliveryGuarantee = "exactly-once"\n',
            "p.toml:30: sinks.late.output_mode: exactly-once delivery cannot have 'update': use 'a",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_line(
    tmp_path: Path, old: str, new: str, wanted: str
) -> None:
    """The problem names file, line and key, whatever is unknown, missing or wrong in the file."""
    found = problems(tmp_path, (old, new))
    assert found[0][: len(wanted)] == wanted, found


@pytest.mark.parametrize(
    "other",
    ["files", "./files/", "x/../files", "files/late", ".", "file:files"],
)
def test_two_sinks_have_two_directories(tmp_path: Path, other: str) -> None:
    """Two sinks cannot share a directory: each sink would overwrite or damage the other sink's
    files."""
    more = f'path = "files"\n[sinks.more]\nformat = "parquet"\ninput = "flights"\npath = "{other}"'
    found = problems(tmp_path, ('path = "files"', more))
    assert found == [
        "p.toml:39: sinks.more.path: the sink 'files' has './files': "
        "each sink needs a directory of its own"
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("files", "files2"),
        ("/files", "/file"),
        ("s3://a/files", "s3://b/files"),
        ("hdfs:///files", "file:///files"),
    ],
)
def test_directories_that_are_apart(tmp_path: Path, one: str, other: str) -> None:
    """Two names with the same beginning do not clash, nor do paths on two file systems."""
    more = f'path = "{one}"\n[sinks.more]\nformat = "parquet"\ninput = "late"\npath = "{other}"'
    assert problems(tmp_path, ('path = "files"', more)) == []


def test_all_problems_come_at_once(tmp_path: Path) -> None:
    """A user who repairs a file sees all of its problems."""
    found = problems(tmp_path, ("dead_letter", "dead"), ('"availableNow"', "3"))
    assert len(found) == 2


def test_a_wrong_encoding_is_one_problem(tmp_path: Path) -> None:
    """The data source's options, which are derived from the encoding, are not reported again."""
    assert len(problems(tmp_path, ('"string"', '"avro"'))) == 1
    assert len(problems(tmp_path, ('"string"', '"json", schema = "{}"'))) == 1
    assert len(problems(tmp_path, ('"string"', '"string", message = "m"'))) == 1


def test_secrets_come_from_the_environment_and_stay_there(tmp_path: Path) -> None:
    """${NAME} keeps passwords out of files; errors about other keys do not show them."""
    line = 'bootstrap.servers = "broker:9092"'
    password = ("\n[spark]", 'sasl.password = "${PASSWORD}"\n[spark]')
    assert problems(tmp_path, password, PASSWORD=secret("kafka")) == []
    found = problems(tmp_path, password, (line, ""), PASSWORD=secret("kafka"))
    assert secret("kafka") not in "".join(found)
    [found] = problems(tmp_path, (line, f"{line}\nsasl.password = ['{secret('kafka')}']"))
    assert "needs a string, number" in found
    assert secret("kafka") not in found


def test_secrets_are_concealed(tmp_path: Path) -> None:
    """Values are hidden in printed text if their keys suggest a secret."""
    file = tmp_path / "p.toml"
    file.write_text(
        GOOD.replace("\n[spark]", 'sasl.password = "${PASSWORD}"\n[spark]').replace(
            'path = "files"', 'path = "files"\noptions.accessKey = "${KEY}"'
        )
    )
    pipeline = load(file, {"PASSWORD": secret("kafka"), "KEY": secret("store")})
    text = f"Relation [a={secret('kafka')}, b={secret('store')}, c=broker:9092]"
    assert conceal(text, pipeline) == "Relation [a=*****, b=*****, c=broker:9092]"


PEM = f"-----BEGIN PRIVATE KEY-----\n{secret('line one')}\n{secret('line two')}\n-----END-----"


@pytest.mark.parametrize(
    ("table", "name", "value", "hidden"),
    [
        ("kafka", "ssl.keystore.key", PEM, secret("line two")),
        ("kafka", "ssl.keystore.key", PEM, PEM.replace("\n", "\\n")),
        ("kafka", "ssl.key.pem", PEM, " ".join(PEM.split())),
        ("kafka", "sasl.oauthbearer.assertion.private.key.pem", PEM, PEM),
        ("kafka", "sasl.oauthbearer.assertion.private.key.passphrase", "p-1-x", "p-1-x"),
        ("kafka", "sasl.oauthbearer.client.secret", "p-2-x", "p-2-x"),
        ("kafka", "sasl.oauthbearer.config", "principal=me token=p-3-x", "p-3-x"),
        ("kafka", "sasl.jaas.config", 'x required username="u" password="p-4-x";', "p-4-x"),
        ("options", "kafka.ssl.keystore.password", "p-5-x", "p-5-x"),
        ("options", "url", "jdbc:postgresql://db/x?user=u&password=p-6-x&ssl=1", "p-6-x"),
        ("options", "url", "jdbc:sqlserver://db;user=u;password=p-7-x;encrypt=true", "p-7-x"),
        ("options", "url", "jdbc:oracle:thin:scott/p-8-x@db:1521:x", "p-8-x"),
        ("options", "url", "jdbc:mysql://u:p-9-x@db/x", "p-9-x"),
        ("options", "schema.registry.basic.auth.user.info", "u:p-10-x", "p-10-x"),
        ("options", "schema.registry.url", "https://u:p%2F11@registry", "p/11"),
        ("options", "schema.registry.url", "https://u:p%2F12@registry", "p%2F12"),
        ("spark", "spark.hadoop.fs.azure.account.key.x.blob.core.windows.net", "p-13", "p-13"),
        ("spark", "spark.hadoop.fs.s3a.secret.key", "p-14-x", "p-14-x"),
        ("spark", "spark.hadoop.fs.azure.sas.c.x.blob.core.windows.net", "sv=1&sig=p-16", "p-16"),
        ("spark", "spark.redis.auth", "p-17-x", "p-17-x"),
        ("options", "path", "https://x.blob.core.windows.net/c?sv=1&sig=p-18-x", "p-18-x"),
        ("options", "url", "jdbc:oracle:oci:scott/p-19-x@db", "p-19-x"),
        ("options", "url", "jdbc:mysql://address=(host=h)(user=u)(password=p-20-x)/db", "p-20-x"),
        ("options", "url", "jdbc:postgresql://db/x?password=p(26)x", "p(26)x"),
        ("options", "es.net.http.auth.pass", "p-21-x", "p-21-x"),
        ("options", "api.key", "p-22-x", "p-22-x"),
        ("options", "headers.Authorization", "Bearer p-23-x", "p-23-x"),
        ("options", "pem_private_key", "p-24-x", "p-24-x"),
        ("options", "password", 123456, "123456"),
        ("options", "password", 'p"25\\x', 'p\\"25\\\\x'),
    ],
)
def test_secrets_of_every_kind_are_concealed(
    table: str, name: str, value: Any, hidden: str
) -> None:
    """Keys, pass phrases, and passwords inside URLs, JDBC addresses and JAAS texts are hidden in
    every form in which Spark prints them, wherever the setting is."""
    settings = {name: value}
    source = Source(topics=("t",), options=settings if table == "options" else {})
    pipeline = Pipeline(
        name="p",
        checkpoint="c",
        sources={"s": source},
        sinks={"out": Sink(input="s", topic="o", options=source.options)},
        kafka=settings if table == "kafka" else {},
        spark=settings if table == "spark" else {},
    )
    assert hidden not in conceal(f"Relation [{name}={value}] {hidden} end", pipeline)
    assert hidden not in repr(pipeline)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://user:p-15-x@registry:8081/a", "https://*****@registry:8081/a"),
        ("https://:p-15-x@registry/a", "https://*****@registry/a"),
        ("https://t-15-x@registry/a", "https://*****@registry/a"),
        ("https://registry/a?api_key=k-15-x&v=1", "https://registry/a?api_key=*****&v=1"),
        ("https://s3/a?X-Amz-Signature=s-15-x", "https://s3/a?X-Amz-Signature=*****"),
        ("abfss://container@account/a", "abfss://container@account/a"),
    ],
)
def test_the_secrets_of_a_url_are_concealed(url: str, shown: str) -> None:
    """The user, the password and parameters that are secrets are hidden; the rest is readable."""
    pipeline = Pipeline(name="p", checkpoint="c", sources={}, sinks={}, registry=Registry(url=url))
    assert conceal(f"GET {url}: user refused", pipeline) == f"GET {shown}: user refused"
    assert "15-x" not in repr(pipeline)


def test_what_is_no_secret_stays_readable() -> None:
    """Names that the author chose, SQL, and paths to keys are no secrets."""
    pipeline = Pipeline(
        name="p",
        checkpoint="c",
        sources={"tokens": Source(topics=("public",))},
        steps={"secret": Step(sql="SELECT * FROM tokens WHERE password = 'column'")},
        sinks={},
        kafka={"ssl.keystore.location": "/etc/key.jks", "ssl.key.location": "/etc/key.pem"},
    )
    text = "tokens public column /etc/key.jks /etc/key.pem"
    assert conceal(text, pipeline) == text


def test_problems_of_a_file_do_not_quote_its_secrets(tmp_path: Path) -> None:
    """A quoted value does not show a password that another setting of the file contains."""
    wrong = f'format = "jdbc://u:{secret("kafka")}@db"\noptions.password = "{secret("kafka")}"'
    found = problems(tmp_path, ('format = "parquet"', wrong))
    assert "cannot be" in "".join(found)
    assert secret("kafka") not in "".join(found)


def test_functions_stand_beside_the_file(tmp_path: Path) -> None:
    """The check imports a step's function, and names a wrong function."""
    (tmp_path / "beside_it.py").write_text("def clean(batches):\n    yield from batches\n")
    step = 'map_in_arrow = "beside_it:clean"\ninput = "flights"\nschema = "carrier STRING"\n[a]'
    old = GOOD[GOOD.index("sql = ") : GOOD.index("[sinks.late]")]
    assert problems(tmp_path, (old, step.removesuffix("[a]"))) == []
    [found] = problems(tmp_path, (old, step.replace("clean", "clen").removesuffix("[a]")))
    assert found == "p.toml:21: steps.late.map_in_arrow: 'beside_it' has no function 'clen'"
    [found] = problems(tmp_path, (old, step.replace("beside_it", "nowhere").removesuffix("[a]")))
    assert "cannot import 'nowhere'" in found


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("import json\nSETTINGS = json.loads('')\n", "JSONDecodeError: Expecting value: line 1"),
        ("1 / 0\n", "ZeroDivisionError: division by zero"),
        ("import sys\nsys.exit(3)\n", "SystemExit: 3"),
        ("def clean(:\n", "SyntaxError: invalid syntax (raises_3.py, line 1)"),
    ],
)
def test_modules_that_raise_are_problems(
    tmp_path: Path, request: pytest.FixtureRequest, code: str, wanted: str
) -> None:
    """The problem has the exception and its line.

    The code of a step's module, or of a pipeline in Python, may raise it.
    """
    name = f"raises_{request.node.callspec.indices['code']}"
    (tmp_path / f"{name}.py").write_text(code)
    where = "" if "SyntaxError" in wanted else f"({tmp_path}/{name}.py:{code.count(chr(10))})"
    old = GOOD[GOOD.index("sql = ") : GOOD.index("[sinks.late]")]
    step = f'map_in_arrow = "{name}:clean"\ninput = "flights"\nschema = "carrier STRING"\n'
    [found] = problems(tmp_path, (old, step))
    assert f"p.toml:21: steps.late.map_in_arrow: cannot import '{name}': {wanted}" in found
    assert where.replace(f"{tmp_path}/", "") in found
    with pytest.raises(PipelineError, match="cannot be run: ") as raised:
        load(tmp_path / f"{name}.py")
    assert wanted.replace(name, f"{tmp_path}/{name}").split(" (")[0] in str(raised.value)
    assert where in str(raised.value)


def test_python_declares_the_same(tmp_path: Path) -> None:
    """Dataclasses are checked like a file, and a .py file can contain them."""
    pipeline = Pipeline(
        name="copy",
        checkpoint="checkpoint",
        kafka={"bootstrap.servers": "broker:9092"},
        sources={"a": Source(topics=("a",))},
        sinks={"b": Sink(input="a", topic="b", value=Encoding(format="raw", columns=("value",)))},
    )
    assert check(pipeline) == []
    wrong = Pipeline(name="x", checkpoint="", sources={}, sinks={"b": Sink(input="a")})
    assert {".".join(one.key) for one in check(wrong)} >= {"checkpoint", "sources", "sinks.b"}
    mistyped = Pipeline(name="x", checkpoint=3, sources={}, sinks={})  # type: ignore[arg-type]
    assert {".".join(one.key): one.message for one in check(mistyped)} == {
        "checkpoint": "needs a string, not a whole number",
        "sources": "a pipeline needs at least one",
        "sinks": "a pipeline needs at least one",
    }
    file = tmp_path / "declared.py"
    file.write_text("pipeline = 3\n")
    with pytest.raises(PipelineError, match=r"declared.py: .* no variable 'pipeline'"):
        load(file)


def test_lines_of_keys() -> None:
    """Multi-line strings contain no keys; quoted keys and dotted keys are equal."""
    text = 'a."b.c" = 1\nd = """\ne = 2\n"""\n[f.g] # h\n"i j" = [\n  "k = 3",\n]\nl = {m = 4}\n'
    lines = key_lines(text)
    assert lines[("a", "b", "c")] == 1
    assert lines[("d",)] == 2
    assert ("e",) not in lines
    assert lines[("f", "g")] == 5
    assert lines[("f", "g", "i j")] == 6
    assert lines[("f", "g", "l")] == 9


@pytest.mark.parametrize(
    ("sql", "wanted"),
    [
        ("select * from a", {"a"}),
        (
            "select * from a, `b c` x join d on a.e = d.e left join f using (g)",
            {"a", "b c", "d", "f"},
        ),
        ("with t as (select * from a) select * from t join b", {"a", "b"}),
        ("with t(x, y) as (select * from a), u as (select 1) select * from t, u, b", {"a", "b"}),
        (
            "select extract(year from ts), trim(both from x) from a where x is distinct from y",
            {"a"},
        ),
        ("select 'from b', \"join c\" from a -- from d\n /* from e */", {"a"}),
        ("select * from (select * from a) x, lateral explode(y) join parquet.`/b`", {"a"}),
        ("select (select max(v) from b), w from a where v in (select v from c)", {"a", "b", "c"}),
        ("select * from a union all select * from b order by x, y", {"a", "b"}),
        ("select * from range(3), a", {"a"}),
    ],
)
def test_tables_of_a_query(sql: str, wanted: set[str]) -> None:
    """Tables follow FROM and JOIN; tables of a catalog, texts and comments do not count."""
    assert tables(sql) == wanted


def test_steps_come_after_what_they_read() -> None:
    """The order of the steps in the file does not matter."""
    steps = {"c": Step(sql="select * from b"), "b": Step(sql="select * from a")}
    pipeline = Pipeline(
        name="x", checkpoint="x", sources={"a": Source(topics=("a",))}, sinks={}, steps=steps
    )
    assert order(pipeline) == (["b", "c"], [])


def test_ddl() -> None:
    """The parser accepts every form of a schema that Spark's DDL allows, also nested forms."""
    schema = parse_ddl("a INT NOT NULL, `b c` array<struct<d: map<string, bigint>>> COMMENT 'x'")
    assert schema == (
        StructType()
        .add("a", IntegerType(), nullable=False)
        .add("b c", ArrayType(StructType().add("d", MapType(StringType(), LongType()))))
    )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", "needs the name of a column instead of its end"),
        ("a", "needs a type instead of its end"),
        ("a strin", "did you mean 'string'"),
        ("a int b int", "needs a comma instead of 'b' at character 7"),
        ("a array<int", "needs '>' instead of its end"),
        ("a decimal(50)", "precision is 1 to 38"),
        ("a int, a int", "the column 'a' is declared twice"),
    ],
)
def test_wrong_ddl(text: str, wanted: str) -> None:
    """The error contains the place where the schema becomes invalid."""
    with pytest.raises(ValueError, match=wanted.replace("(", r"\(")):
        parse_ddl(text)


def test_causes_without_stacks() -> None:
    """Spark's message is reduced to its cause, without the stack traces of two languages."""
    text = (
        "[STREAM_FAILED] Query [id = 1] terminated with exception: Job aborted\n"
        "org.apache.spark.api.python.PythonException: Traceback (most recent call last):\n"
        '  File "worker.py", line 1, in main\n    process()\n'
        "confluent_kafka.spark.ranges.DataLoss: flights [0]: offsets 1 to 2 are gone\n\n"
        "\tat org.apache.spark.Executor.run(Executor.scala)\n"
    )
    wanted = "confluent_kafka.spark.ranges.DataLoss: flights [0]: offsets 1 to 2 are gone"
    assert cause(RuntimeError(text)) == wanted
    assert cause(RuntimeError("x is wrong\n\tat org.apache(A.java)")) == "x is wrong"
    plan = "[X] no column x SQLSTATE: 42703; line 2 pos 7;\n'Project ['x]\n+- Relation [password=y]"
    assert cause(RuntimeError(plan)) == "[X] no column x SQLSTATE: 42703; line 2 pos 7"
    without_code = "Sorting is not supported;\nSort [x]\n+- Relation [password=y]"
    assert cause(RuntimeError(without_code)) == "Sorting is not supported"
    assert cause(KeyboardInterrupt()) == "KeyboardInterrupt"


def test_tables_as_streams() -> None:
    """STREAM() encloses only the pipeline's views, and only where the query reads them."""
    sql = "select a.x, 'from a' from a join `B` on extract(year from a.x) = b.y, c"
    wanted = (
        "select a.x, 'from a' from STREAM(a) join STREAM(`B`) on extract(year from a.x) = b.y, c"
    )
    assert streaming(sql, {"a", "b"}) == wanted
