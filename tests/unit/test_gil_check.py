"""tools/gil.py checks that the GIL is released around every librdkafka function that may wait."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "gil.py"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "confluent-kafka"


def run_tool(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(TOOL), *map(str, arguments)], capture_output=True, text=True
    )


def check(folder: Path, code: str) -> list[str]:
    """Each finding of the tool in a C file: its line, a colon and its first words."""
    (folder / "file.c").write_text(code)
    result = run_tool(folder)
    assert bool(result.returncode) == bool(result.stderr)
    return [
        line.removeprefix(f"{folder / 'file.c'}:").split(": release")[0]
        for line in result.stderr.splitlines()
    ]


def test_the_extension() -> None:
    """No call of the extension waits in librdkafka with the GIL held."""
    result = run_tool()
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.skipif(
    not any(CACHE.glob("*.tgz")), reason="the sources of the pinned librdkafka are not here"
)
def test_the_table() -> None:
    """The table equals the result from the sources of the pinned librdkafka.

    The tool prints the reasons.
    """
    result = run_tool("--sources")
    assert (result.returncode, result.stderr) == (0, "")
    assert "rd_kafka_subscription > rd_kafka_op_req2 > rd_kafka_op_req" in result.stdout
    assert "rd_kafka_topic_name" not in result.stdout


def test_a_function_that_begins_to_wait(tmp_path: Path) -> None:
    """The tool names functions that wait but are not in the table, and functions in the table that
    do not wait."""
    sources = tmp_path / "sources" / "src"
    sources.mkdir(parents=True)
    (sources.parent / "configure.self").touch()
    (sources / "rdkafka.h").write_text("int rd_kafka_topic_name(int);\n")
    (sources / "rdkafka_mock.h").touch()
    (sources / "rdkafka.c").write_text(
        "int rd_kafka_topic_name(int a) {\n        return join(a); /* { */\n}\n"
        "static int join(int a) {\n        return thrd_join(a, NULL);\n}\n"
    )
    archive = tmp_path / "sources.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(sources.parent, "sources")
    script = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(TOOL.parent)!r})
import gil, librdkafka
librdkafka._archive = lambda source: Path({str(archive)!r})
librdkafka.PATCHES = ()
sys.exit(gil.compare_with_sources())
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert result.returncode == 1
    assert result.stdout == "rd_kafka_topic_name > join > thrd_join\n"
    assert "rd_kafka_topic_name() may wait: add it to WAITS" in result.stderr
    assert "rd_kafka_assign() does not wait: remove it from WAITS" in result.stderr


def test_call_with_the_gil(tmp_path: Path) -> None:
    """The tool finds a call with the GIL if it is before or after the bracket, or if there is no
    bracket."""
    found = check(
        tmp_path,
        """\
static int
method(Client *self)
{
    /* rd_kafka_assign(rk, NULL); */
    rd_kafka_assign(self->rk, NULL);
    Py_BEGIN_ALLOW_THREADS
    rd_kafka_assign(self->rk, NULL);
    Py_END_ALLOW_THREADS
    serve_release_gil(self);
    rd_kafka_assign(self->rk, NULL);
    serve_take_gil(self);
    return rd_kafka_commit(self->rk, NULL, 1);
}
""",
    )
    assert found == [
        "5: rd_kafka_assign() may wait for librdkafka",
        "12: rd_kafka_commit() may wait for librdkafka",
    ]


def test_functions_without_the_gil(tmp_path: Path) -> None:
    """A function marked WITHOUT_GIL may call waiting functions, counts as a waiting function
    itself, and must not release the GIL."""
    found = check(
        tmp_path,
        """\
WITHOUT_GIL static void
leave(rd_kafka_t *rk)
{
    rd_kafka_unsubscribe(rk);
}

WITHOUT_GIL static void
leave_twice(rd_kafka_t *rk)
{
    leave(rk);
    Py_BEGIN_ALLOW_THREADS
    leave(rk);
    Py_END_ALLOW_THREADS
}

static void
method(Client *self)
{
    Py_BEGIN_ALLOW_THREADS
    leave(self->rk);
    Py_END_ALLOW_THREADS
    leave(self->rk);
}

static void
on_rebalance(rd_kafka_t *rk)
{
    if (!callback_begin(&scope, opaque)) {
        leave(rk);
        return;
    }
    leave(rk);
}
""",
    )
    assert found == [
        "11: leave_twice() has no GIL to release",
        "13: leave_twice() has no GIL to release",
        "22: leave() is marked WITHOUT_GIL",
        "32: leave() is marked WITHOUT_GIL",
    ]


def test_functions_that_are_passed_on(tmp_path: Path) -> None:
    """A call through a function pointer that gets a handle counts as a call that waits."""
    found = check(
        tmp_path,
        """\
static void
change(Client *self, int (*step)(rd_kafka_t *, const void *))
{
    step(self->rk, NULL);
}
""",
    )
    assert found == ["4: step() may wait for librdkafka"]


def test_calls_that_do_not_wait(tmp_path: Path) -> None:
    """A timeout that is a literal 0 needs no bracket; a timeout in a variable does."""
    found = check(
        tmp_path,
        """\
static void
poll(Client *self, int timeout_ms)
{
    rd_kafka_queue_poll(queue_of(self, 1), 0);
    rd_kafka_queue_poll(queue_of(self, 0), timeout_ms);
    rd_kafka_produce(rkt, 0, RD_KAFKA_MSG_F_BLOCK, NULL, 0, NULL, 0, NULL);
}
""",
    )
    assert found == [
        "5: rd_kafka_queue_poll() may wait for librdkafka",
        "6: RD_KAFKA_MSG_F_BLOCK waits for room with the GIL held",
    ]
