#!/usr/bin/env python3
"""Checks that the extension releases the GIL around librdkafka functions that may wait.

Some functions wait for librdkafka's main thread, for a broker or for the end of a thread. If the
extension calls such a function while it holds the GIL, the whole interpreter stops: Python handles
no signal and runs no other thread. So each such call must be between ``Py_BEGIN_ALLOW_THREADS`` and
``Py_END_ALLOW_THREADS``, between ``serve_release_gil()`` and ``serve_take_gil()`` if librdkafka may
call back, or in a function marked ``WITHOUT_GIL``, whose own calls are checked in the same way.

``WAITS`` comes from the sources of the pinned librdkafka: it lists the functions of the API from
which the call graph reaches a wait. ``tests/unit/test_gil_check.py`` compares the two. The check
includes calls through a function pointer if the pointer is a parameter whose function takes a
handle.

    python tools/gil.py              # check the extension; run by make lint
    python tools/gil.py --sources    # check WAITS; print the calls that make each function wait
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import librdkafka

EXTENSION = Path(__file__).resolve().parents[1] / "src" / "confluent_kafka" / "csrc"

_NAMES = """
rd_kafka_abort_transaction rd_kafka_assign rd_kafka_assignment rd_kafka_begin_transaction
rd_kafka_brokers_add rd_kafka_clusterid rd_kafka_commit rd_kafka_commit_message
rd_kafka_commit_queue rd_kafka_commit_transaction rd_kafka_committed rd_kafka_consume
rd_kafka_consume_batch rd_kafka_consume_batch_queue rd_kafka_consume_callback
rd_kafka_consume_callback_queue rd_kafka_consume_queue rd_kafka_consume_stop rd_kafka_consumer_close
rd_kafka_consumer_group_metadata rd_kafka_consumer_poll rd_kafka_controllerid rd_kafka_destroy
rd_kafka_destroy_flags rd_kafka_flush rd_kafka_incremental_assign rd_kafka_incremental_unassign
rd_kafka_init_transactions rd_kafka_list_groups rd_kafka_memberid rd_kafka_metadata
rd_kafka_mock_broker_add rd_kafka_mock_broker_decommission rd_kafka_mock_broker_remove_from_metadata
rd_kafka_mock_broker_set_down rd_kafka_mock_broker_set_rack rd_kafka_mock_broker_set_rtt
rd_kafka_mock_broker_set_up rd_kafka_mock_cluster_destroy rd_kafka_mock_cluster_new
rd_kafka_mock_cluster_set_id rd_kafka_mock_committed_offset_delete
rd_kafka_mock_committed_offset_set
rd_kafka_mock_coordinator_set rd_kafka_mock_group_delete rd_kafka_mock_partition_add_aborted
rd_kafka_mock_partition_set_leader_epoch rd_kafka_mock_topic_set_id
rd_kafka_mock_offer_requests rd_kafka_mock_partition_delete_records
rd_kafka_mock_partition_push_leader_response rd_kafka_mock_partition_push_request_errors
rd_kafka_mock_partition_records rd_kafka_mock_partition_set_follower
rd_kafka_mock_partition_set_follower_wmarks rd_kafka_mock_partition_set_leader
rd_kafka_mock_partition_set_replicas rd_kafka_mock_share_start_offset_set
rd_kafka_mock_partition_write_marker rd_kafka_mock_partition_write_records
rd_kafka_mock_set_apiversion rd_kafka_mock_set_client_quota
rd_kafka_mock_set_transaction_version rd_kafka_mock_snapshot
rd_kafka_mock_telemetry_set_push_interval
rd_kafka_mock_telemetry_set_requested_metrics rd_kafka_mock_topic_add_partitions
rd_kafka_mock_topic_create rd_kafka_mock_topic_delete rd_kafka_mock_topic_set_error
rd_kafka_mock_topic_set_rules rd_kafka_new
rd_kafka_offsets_for_times rd_kafka_pause_partitions rd_kafka_poll rd_kafka_purge
rd_kafka_query_watermark_offsets rd_kafka_queue_poll rd_kafka_queue_poll_callback
rd_kafka_rebalance_protocol rd_kafka_resume_partitions rd_kafka_seek rd_kafka_seek_partitions
rd_kafka_send_offsets_to_transaction rd_kafka_share_commit_async rd_kafka_share_commit_sync
rd_kafka_share_consumer_close rd_kafka_share_consumer_new rd_kafka_share_destroy
rd_kafka_share_destroy_flags rd_kafka_share_poll rd_kafka_share_subscribe
rd_kafka_share_subscription rd_kafka_share_unsubscribe rd_kafka_subscribe rd_kafka_subscription
rd_kafka_unsubscribe
"""
WAITS = frozenset(_NAMES.split())

# The index of the timeout among the arguments. If it is a literal 0, the function does not wait.
TIMEOUT_ARGUMENT = {
    "rd_kafka_clusterid": 1,
    "rd_kafka_consume_batch_queue": 1,
    "rd_kafka_controllerid": 1,
    "rd_kafka_queue_poll": 1,
}

# ---- the functions that may wait, from librdkafka's sources ----------------------------------

HEADERS = ("rdkafka.h", "rdkafka_mock.h")

# The functions in which a thread waits. Locks are not included, because none is held during a wait.
PRIMITIVES = ("cnd_wait", "cnd_timedwait", "thrd_join", "getaddrinfo")

# These functions may wait, but never when a function of the API calls them.
CUTS = {
    "rd_kafka_curr_msgs_add": "waits for RD_KAFKA_MSG_F_BLOCK only, which is refused below",
    "rd_kafka_metadata_refresh_topics": "asks for a broker with RD_POLL_NOWAIT",
}

_TEXT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)\(((?:[^\n\\]|\\\n|\\.)*)", re.MULTILINE)
_FUNCTION = re.compile(
    r"^(?!\s|#|typedef)[A-Za-z_][\w \t\n*]*?[\s*](\w+)\s*\(([^;{}]*)\)\s*\{", re.MULTILINE
)
_CALL = re.compile(r"\b(\w+)\s*\(")


def _code(text: str) -> str:
    """Return the text without comments and the contents of strings, with the same lines."""
    return _TEXT.sub(lambda found: "\n" * found[0].count("\n") or " ", text)


def _body(code: str, start: int) -> str:
    """Return the text from an opening brace to its closing brace."""
    depth = 0
    for brace in re.finditer(r"[{}]", code[start:]):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return code[start : start + brace.end()]
    return code[start:]


def call_graph(sources: Path) -> dict[str, set[str]]:
    """Return the callers of each function and macro. All preprocessor conditions count as true."""
    callers: dict[str, set[str]] = defaultdict(set)
    for file in sorted(sources.glob("*.[ch]")):
        code = _code(file.read_text(errors="replace"))
        for macro in _MACRO.finditer(code):
            for callee in _CALL.findall(macro[2]):
                callers[callee].add(macro[1])
        code = _MACRO.sub("", code)
        for function in _FUNCTION.finditer(code):
            for callee in _CALL.findall(_body(code, function.end() - 1)):
                callers[callee].add(function[1])
    return callers


def waiting_functions(sources: Path) -> dict[str, list[str]]:
    """Return the functions of the API that may wait, each with the calls that lead to the wait."""
    callers = call_graph(sources)
    paths: dict[str, list[str]] = {name: [name] for name in PRIMITIVES}
    reached = list(PRIMITIVES)
    for callee in reached:
        for caller in sorted(callers[callee] - CUTS.keys()):
            if caller not in paths:
                paths[caller] = [caller, *paths[callee]]
                reached.append(caller)
    public: set[str] = set()
    for header in HEADERS:
        public.update(_CALL.findall(_code((sources / header).read_text())))
    return {name: paths[name] for name in sorted(public & paths.keys())}


def pinned_waiting_functions() -> dict[str, list[str]]:
    """Return waiting_functions() of the pinned, patched librdkafka.

    Raises:
        BuildError: the sources are missing.
    """
    with tempfile.TemporaryDirectory() as scratch:
        return waiting_functions(librdkafka.unpack_patched(Path(scratch)) / "src")


# ---- the check -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Violation:
    file: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


@dataclass(frozen=True)
class Function:
    """A function of the extension. Its name and its outer braces are in column 0."""

    file: Path
    line: int  # the line where the body begins
    name: str
    parameters: str
    body: str
    without_gil: bool
    static: bool


_DEFINITION = re.compile(
    r"^(WITHOUT_GIL )?(static )?[^\n;{}]*\n(\w+)\(([^;{}]*)\)\n(\{\n.*?^\})",
    re.MULTILINE | re.DOTALL,
)
_POINTER = re.compile(r"\(\*\s*(\w+)\)\s*\([^()]*\brd_kafka_(?:share_|mock_cluster_)?t \*")
_BRACKET = {
    "Py_BEGIN_ALLOW_THREADS": True,
    "serve_release_gil": True,
    "Py_END_ALLOW_THREADS": False,
    "serve_take_gil": False,
}


def functions_of(file: Path) -> Iterator[Function]:
    code = _code(file.read_text())
    for found in _DEFINITION.finditer(code):
        marker, static, name, parameters, body = found.groups()
        line = code.count("\n", 0, found.start(5)) + 1
        yield Function(file, line, name, parameters, body, marker is not None, static is not None)


def _arguments(call: str) -> list[str]:
    """Return the arguments of a call. The text begins with its opening parenthesis."""
    arguments, depth = [""], 0
    for character in call:
        depth += (character in "([{") - (character in ")]}")
        if depth == 0:
            break
        if character == "," and depth == 1:
            arguments.append("")
        elif not (character == "(" and depth == 1 and arguments == [""]):
            arguments[-1] += character
    return [argument.strip() for argument in arguments]


def _does_not_wait(name: str, rest: str) -> bool:
    position = TIMEOUT_ARGUMENT.get(name)
    if position is None:
        return False
    arguments = _arguments(rest)
    return len(arguments) > position and arguments[position] == "0"


def _check_function(function: Function, unlocked: frozenset[str]) -> Iterator[Violation]:
    # The function behind the pointer can be any of librdkafka's functions.
    pointers = frozenset(_POINTER.findall(function.parameters))
    released = function.without_gil
    leaving = False
    for token in re.finditer(r"!callback_begin\b|\b[A-Za-z_]\w*|\}", function.body):
        word, rest = token[0], function.body[token.end() :].lstrip()
        line = function.line + function.body.count("\n", 0, token.start())
        called = rest.startswith("(")
        if word in _BRACKET:
            if function.without_gil:
                yield Violation(function.file, line, f"{function.name}() has no GIL to release")
            released = _BRACKET[word]
        elif word == "!callback_begin":
            released = leaving = True  # callback_begin() failed: no GIL here
        elif word == "}" and leaving:
            released = leaving = False
        elif word == "RD_KAFKA_MSG_F_BLOCK":
            yield Violation(function.file, line, f"{word} waits for room with the GIL held")
        elif called and not released and not _does_not_wait(word, rest):
            if word in WAITS or word in pointers:
                what = "may wait for librdkafka"
            elif word in unlocked:
                what = "is marked WITHOUT_GIL"
            else:
                continue
            yield Violation(
                function.file,
                line,
                f"{word}() {what}: release the GIL around the call "
                "(serve_release_gil() where callbacks may run), or mark "
                f"{function.name}() WITHOUT_GIL if it runs without",
            )


def check(folder: Path) -> list[Violation]:
    """Return the violations in the C files below the folder."""
    functions = [
        function for file in sorted(folder.glob("**/*.[ch]")) for function in functions_of(file)
    ]
    marked = [function for function in functions if function.without_gil]
    return [
        violation
        for function in functions
        for violation in _check_function(
            function,
            frozenset(
                other.name for other in marked if not other.static or other.file == function.file
            ),
        )
    ]


def compare_with_sources() -> int:
    """Print why each function may wait, and how WAITS differs from that."""
    derived = pinned_waiting_functions()
    for path in derived.values():
        print(" > ".join(path))
    for name in sorted(derived.keys() - WAITS):
        print(f"{name}() may wait: add it to WAITS", file=sys.stderr)
    for name in sorted(WAITS - derived.keys()):
        print(f"{name}() does not wait: remove it from WAITS", file=sys.stderr)
    return int(derived.keys() != WAITS)


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Checks that the GIL is released wherever librdkafka may wait."
    )
    parser.add_argument("folder", nargs="?", type=Path, default=EXTENSION)
    parser.add_argument(
        "--sources", action="store_true", help="check WAITS against librdkafka's sources instead"
    )
    arguments = parser.parse_args()
    if arguments.sources:
        try:
            return compare_with_sources()
        except librdkafka.BuildError as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
    violations = check(arguments.folder)
    for violation in violations:
        print(violation, file=sys.stderr)
    return int(bool(violations))


if __name__ == "__main__":
    sys.exit(main())
