"""build_info() describes a build, and a librdkafka without patches logs a warning."""

from __future__ import annotations

import json
import sys
import sysconfig
from functools import partial

import pytest

from confluent_kafka import KafkaError, KafkaException, Producer, build_info
from tests.support.patches import LACKS
from tests.support.scripts import run_script
from tools import librdkafka

FIRST_CLIENTS = """
    import sys
    from confluent_kafka import Producer, build_info

    build_info()
    print("no client yet", file=sys.stderr)
    for _ in range(2):
        Producer({}).close()
"""


def test_is_plain_data() -> None:
    """build_info() returns plain data, which goes into a bug report unchanged."""
    info = build_info()
    assert json.loads(json.dumps(info)) == info


def test_every_patch_is_named() -> None:
    """Each patch is listed by the name of its file, either as present in the library or as
    missing."""
    info = build_info()
    for series in librdkafka.SERIES:
        names = [patch.stem for patch in librdkafka.PATCHES if patch.parent.name == series]
        assert sorted(info["patches"][series] + info["missing_patches"][series]) == names
    assert info["patched"] is not any(info["missing_patches"].values())
    if info["librdkafka_source"] == "pinned":
        assert info["patched"]
        assert info["librdkafka"] == info["librdkafka_headers"] == librdkafka.VERSION
    if info["librdkafka_source"] == "system":
        assert not info["patched"]


def test_interpreter_and_compiler() -> None:
    """The interpreter and the compiler in build_info() match the interpreter that has loaded the
    extension."""
    info = build_info()
    major, minor = info["python"].split(".")[:2]
    assert (int(major), int(minor)) == sys.version_info[:2]
    assert info["free_threaded"] == bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    assert info["compiler"] != "unknown"


def test_features_are_those_of_librdkafka() -> None:
    """A client that requires all features can be created; librdkafka refuses features that it does
    not have."""
    features = build_info()["features"]
    assert len(features) == len(set(features)) > 3
    Producer({"builtin.features": ",".join(features)}).close()


@pytest.mark.skipif(not build_info()["patched"], reason="this librdkafka is not patched")
def test_patched_library_has_nothing_to_say() -> None:
    """A build with all patches logs no warning about patches."""
    result = run_script(FIRST_CLIENTS, quiet=False)
    assert (result.returncode, result.stderr) == (0, "no client yet\n")


@pytest.mark.skipif(build_info()["patched"], reason="this librdkafka is patched")
def test_unpatched_library_says_once_what_it_lacks() -> None:
    """The creation of the first client logs the name of each missing patch."""
    result = run_script(FIRST_CLIENTS, quiet=False)
    assert result.returncode == 0
    first, *warnings = result.stderr.splitlines()
    assert first == "no client yet"
    assert len(warnings) == 1
    for names in build_info()["missing_patches"].values():
        assert all(name in warnings[0] for name in names)


@pytest.mark.skipif("raw-request" not in LACKS, reason="this librdkafka is patched")
def test_request_without_its_patch() -> None:
    """The error of request() names the missing patch and suggests a solution."""
    with Producer({}) as producer:
        for call in (partial(producer.request, 3, 1), producer.api_versions):
            with pytest.raises(KafkaException, match="LIBRDKAFKA=system") as error:
                call()
            assert error.value.args[0].code() == KafkaError._NOT_IMPLEMENTED
