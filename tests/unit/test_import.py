"""The import of the package: the modules that it loads, its requirements and its side effects."""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path

import pytest

import confluent_kafka
from confluent_kafka import (
    ConsumerGroupState,
    ConsumerGroupType,
    ElectionType,
    IsolationLevel,
    admin,
    build_info,
    cimpl,
    columns,
)
from tests.support.scripts import check_script

# Prefixes of the names of numbers, and the enumeration of each prefix.
ENUMERATIONS: dict[str, type[Enum]] = {
    "ACL_OPERATION_": admin.AclOperation,
    "ACL_PERMISSION_TYPE_": admin.AclPermissionType,
    "ALTER_CONFIG_OP_TYPE_": admin.AlterConfigOpType,
    "CONFIG_SOURCE_": admin.ConfigSource,
    "CONSUMER_GROUP_STATE_": ConsumerGroupState,
    "CONSUMER_GROUP_TYPE_": ConsumerGroupType,
    "ELECTION_TYPE_": ElectionType,
    "ISOLATION_LEVEL_": IsolationLevel,
    "RESOURCE_PATTERN_": admin.ResourcePatternType,
    "RESOURCE_": admin.ResourceType,
    "SCRAM_MECHANISM_": admin.ScramMechanism,
}
ENUMERATORS = [name for name in vars(cimpl) if name.startswith(tuple(ENUMERATIONS))]
# Members of Kafka's enumerations for which librdkafka has no number.
NOT_IN_LIBRDKAFKA: set[Enum] = {
    admin.ConfigSource.DYNAMIC_BROKER_LOGGER_CONFIG,
    admin.ConfigSource.DYNAMIC_CLIENT_METRICS_CONFIG,
    admin.ResourceType.BROKER_LOGGER,
    admin.ResourceType.CLIENT_METRICS,
}
# OffsetSpec is not in this list. It has no members, because it can also be a time.
SPECS = [name for name in vars(cimpl) if name.startswith("OFFSET_SPEC_")]
PACKAGE = Path(confluent_kafka.__file__).parent

# The package may load only these small modules of the standard library. It imports other modules
# (logging, typing, threading, json ...) when it uses them for the first time.
ALLOWED = {
    "__future__",
    "atexit",
    "collections",
    "enum",
    "functools",
    "itertools",
    "keyword",
    "operator",
    "reprlib",
    "types",
}

# Without `site` and PYTHONPATH, the interpreter has only its standard library, and has loaded
# almost none of it. `loaded` contains the modules that the import adds.
ALONE = """
    import os, sys  # every interpreter starts with these two
    library = [path for path in sys.path if path.startswith(sys.base_prefix)]
    sys.path[:] = [path for path in library if "-packages" not in path] + [sys.argv[1]]
    before = set(sys.modules)
    import {module}
    loaded = set(sys.modules) - before
"""


def run_alone(module: str, then: str) -> str:
    """Run `import module` and `then` without other installed packages; return the output."""
    return check_script(ALONE.format(module=module) + then, str(PACKAGE.parent), flags=("-P", "-S"))


def test_import_loads_only_a_few_modules() -> None:
    """The import loads only a few small modules, so that it is quick."""
    loaded = set(run_alone("confluent_kafka", "    print(*loaded)").split())
    top = {name.partition(".")[0] for name in loaded}
    assert top - {"confluent_kafka"} - {name for name in top if name.startswith("_")} <= ALLOWED
    parts = {".".join(name.split(".")[:2]) for name in loaded if name.startswith("confluent_kafka")}
    rooms = {"_other_clients", "_values", "cimpl"}
    assert parts == {"confluent_kafka", *(f"confluent_kafka.{room}" for room in rooms)}


@pytest.mark.parametrize("module", ["confluent_kafka", "confluent_kafka.cimpl"])
@pytest.mark.parametrize("order", ["admin", "testing", "cimpl"])
def test_core_needs_the_standard_library_only(module: str, order: str) -> None:
    """Every module of the core can be imported first, and none needs another package."""
    then = f"""
    import confluent_kafka.{order}
    modules = {{name.partition(".")[0] for name in set(sys.modules) - before}}
    print(modules - set(sys.stdlib_module_names) - {{"confluent_kafka"}})
    """
    assert run_alone(module, then) == "set()\n"


def test_clients_need_the_standard_library_only() -> None:
    """A client can send, receive and describe the cluster without other installed packages."""
    then = """
    from confluent_kafka.testing import MockCluster

    with MockCluster(1) as cluster:
        config = {"bootstrap.servers": cluster.bootstrap_servers}
        with confluent_kafka.Producer(config) as producer:
            producer.produce("topic", b"value", headers={"a": b"1"})
            print(producer.flush(30), list(producer.list_topics(timeout=30).topics))
        with confluent_kafka.Consumer(config, **{"group.id": "group"}) as consumer:
            consumer.assign([confluent_kafka.TopicPartition("topic", p, 0) for p in range(4)])
            print([message.value() for message in consumer.consume(1, 30)])
    third = {name.partition(".")[0] for name in set(sys.modules) - before}
    print(third - set(sys.stdlib_module_names) - {"confluent_kafka"})
    """
    assert run_alone("confluent_kafka", then) == "0 ['topic']\n[b'value']\nset()\n"


def test_import_changes_nothing() -> None:
    """The import starts no thread, sets no signal handler or warning filter, and prints nothing."""
    script = """
    import signal, sys, threading, warnings

    def state():
        handlers = [signal.getsignal(number) for number in signal.valid_signals()]
        return threading.enumerate(), handlers, list(warnings.filters), list(sys.path)

    warnings.simplefilter("error")
    before = state()
    import confluent_kafka
    assert state() == before
    """
    assert check_script(script) == ""


@pytest.mark.skipif(not build_info()["free_threaded"], reason="this CPython has a GIL")
def test_import_leaves_the_gil_off() -> None:
    """If a CPython without a GIL imports the package, its GIL stays off."""
    script = "import sys, confluent_kafka; print(sys._is_gil_enabled())"
    # If the variable has a value, CPython does not ask the extension.
    assert check_script(script, env={"PYTHON_GIL": ""}) == "False\n"


def test_import_again() -> None:
    """If a tool imports the package again, the second extension works at the same time as the first
    one."""
    script = """
    import sys
    import confluent_kafka as first
    from confluent_kafka.testing import MockCluster

    for name in [name for name in sys.modules if name.startswith("confluent_kafka")]:
        del sys.modules[name]
    import confluent_kafka as second

    assert first is not second
    with MockCluster(1) as cluster:
        for module in (first, second):
            with module.Producer({"bootstrap.servers": cluster.bootstrap_servers}) as producer:
                producer.produce("topic", b"value", on_delivery=lambda error, _: print(error))
                print(producer.flush(30))
    """
    assert check_script(script) == "None\n0\n" * 2


def test_all_names_every_export() -> None:
    """`from confluent_kafka import *` imports exactly the public names."""
    names = confluent_kafka.__all__
    # pytest's rewriting of assertions leaves names with "@" in a module.
    public = {name for name in vars(confluent_kafka) if name[0].isalpha()}
    submodules = {name for name in public if f"confluent_kafka.{name}" in sys.modules}
    lazy = set(confluent_kafka._LAZY)
    assert lazy <= set(names) & set(dir(confluent_kafka))
    assert set(names) == (public - submodules) | lazy
    # The packages testing, admin and columns export some names. Numbers are exported as members of
    # enumerations.
    elsewhere = {"MockCluster", "MockRequest", *admin.__all__, *columns.__all__}
    elsewhere |= {*ENUMERATORS, *SPECS}
    elsewhere |= set(columns.__all__)
    elsewhere |= {name for name in vars(cimpl) if name.startswith("SHARE_ACKNOWLEDGE_TYPE_")}
    assert {name for name in vars(cimpl) if not name.startswith("_")} - elsewhere <= set(names)


def test_all_numbers_are_members() -> None:
    """Each number of librdkafka's enumerations has one member, and each member has one of these
    numbers."""
    for name in ENUMERATORS:
        kind = next(kind for prefix, kind in ENUMERATIONS.items() if name.startswith(prefix))
        assert kind(getattr(cimpl, name)).value == getattr(cimpl, name)
    members = {member for kind in ENUMERATIONS.values() for member in kind}
    assert len(ENUMERATORS) == len(members - NOT_IN_LIBRDKAFKA)


def test_versions_agree() -> None:
    """The version is the same everywhere. librdkafka's version as a number equals its version as
    text."""
    assert confluent_kafka.version() == confluent_kafka.__version__
    text, number = confluent_kafka.libversion()
    parts = [number >> 24, number >> 16 & 255, number >> 8 & 255]
    assert ".".join(map(str, parts)) == text.partition("-")[0]
    info = confluent_kafka.build_info()
    assert (info["version"], info["librdkafka"]) == (confluent_kafka.version(), text)


def test_types_are_installed() -> None:
    """Type checkers look for these two files beside the modules (PEP 561)."""
    assert (PACKAGE / "py.typed").is_file()
    assert (PACKAGE / "cimpl.pyi").is_file()


@pytest.mark.parametrize("isolated", [False, True])
def test_subinterpreters(isolated: bool) -> None:
    """A subinterpreter that shares the GIL can use a client.

    In a subinterpreter with its own GIL, the import raises ImportError.
    """
    check_script(f"""
    import sys

    if sys.version_info >= (3, 13):
        import _interpreters as interpreters
        interpreter = interpreters.create("isolated" if {isolated} else "legacy")
    else:
        import _xxsubinterpreters as interpreters
        interpreter = interpreters.create(isolated={isolated})

    code = '''
    import logging
    import confluent_kafka

    logging.disable()  # a librdkafka without our patches says so, once in each interpreter
    errors = []
    with confluent_kafka.Producer({{"test.mock.num.brokers": 1, "log_level": 2}}) as producer:
        producer.produce("topic", b"value", on_delivery=lambda error, _: errors.append(error))
        assert producer.flush() == 0
    assert errors == [None]
    '''
    failure = None
    try:
        failure = interpreters.run_string(interpreter, code)
    except interpreters.RunFailedError as error:
        failure = error
    finally:
        interpreters.destroy(interpreter)
    text = str(getattr(failure, "formatted", failure))
    if {isolated} and sys.version_info >= (3, 12):
        assert "ImportError" in text, text
        assert "cimpl does not support loading in subinterpreters" in text, text
    else:
        assert failure is None, text
    """)
