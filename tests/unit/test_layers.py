"""tools/layers.py finds arrows in the wrong direction, in C and in Python."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "layers.py"
ROOMS = {"low": set[str](), "high": {"low"}}


@pytest.fixture(scope="module")
def layers() -> ModuleType:
    spec = importlib.util.spec_from_file_location("layers", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write(folder: Path, **files: str) -> Path:
    """Write files. In the keywords, `_IN_` means a slash and `_DOT_` means a dot."""
    for name, text in files.items():
        path = folder / name.replace("_IN_", "/").replace("_DOT_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def c_problems(layers: ModuleType, folder: Path) -> list[str]:
    arrows = list(layers.c_arrows(folder))
    rooms = {file: file.split("/")[0] for arrow in arrows for file in arrow[:2]}
    return [*layers.wrong_arrows(arrows, ROOMS, rooms), *layers.described_circles(arrows)]


def test_the_tree() -> None:
    """No arrow of the extension or the package goes to a higher room, and there is no circle."""
    result = subprocess.run([sys.executable, str(TOOL)], capture_output=True, text=True)
    assert (result.stdout, result.stderr, result.returncode) == ("", "", 0)


def test_an_arrow_that_runs_down(layers: ModuleType, tmp_path: Path) -> None:
    """A room may include files of a lower room and call their functions."""
    folder = write(
        tmp_path,
        low_IN_one_DOT_h="int one(void);\n",
        low_IN_one_DOT_c='#include "low/one.h"\n\nint\none(void)\n{\n    return 1;\n}\n',
        high_IN_two_DOT_c='#include "low/one.h"\n\nint\ntwo(void)\n{\n    return one();\n}\n',
    )
    assert c_problems(layers, folder) == []


def test_an_include_that_runs_up(layers: ModuleType, tmp_path: Path) -> None:
    """The message names the line, the two files, and the rooms that may be used."""
    folder = write(
        tmp_path,
        high_IN_two_DOT_h="int two(void);\n",
        low_IN_one_DOT_c='#include "high/two.h"\n',
    )
    (problem,) = c_problems(layers, folder)
    assert "low/one.c:1: low/one uses high/two, but low may use only: nothing" in problem


def test_a_call_that_runs_up(layers: ModuleType, tmp_path: Path) -> None:
    """A call of a higher room is found, even if a declaration in the file replaces the include."""
    folder = write(
        tmp_path,
        high_IN_two_DOT_c="int\ntwo(void)\n{\n    return 2;\n}\n",
        low_IN_one_DOT_c="int two(void);\n\nint\none(void)\n{\n    return two();\n}\n",
    )
    assert any("low/one uses high/two" in problem for problem in c_problems(layers, folder))


def test_what_is_no_use(layers: ModuleType, tmp_path: Path) -> None:
    """Names in comments and strings, and static functions with the same name, do not count as
    arrows."""
    folder = write(
        tmp_path,
        high_IN_two_DOT_c="int\ntwo(void)\n{\n    return 2;\n}\n\nstatic int\nthree(void)\n{\n}\n",
        low_IN_one_DOT_c='/* two() */\n#define TEXT "two"\n\nstatic int\nthree(void)\n{\n}\n',
    )
    assert c_problems(layers, folder) == []


def test_a_circle_of_files(layers: ModuleType, tmp_path: Path) -> None:
    """The message names two files of one room that use each other, with the lines."""
    folder = write(
        tmp_path,
        low_IN_one_DOT_c="int\none(void)\n{\n    return two();\n}\n",
        low_IN_two_DOT_c="int\ntwo(void)\n{\n    return one();\n}\n",
    )
    (problem,) = c_problems(layers, folder)
    assert problem.startswith("2 files depend on each other in a circle")
    assert "low/one uses low/two" in problem
    assert "low/two uses low/one" in problem


def test_a_part_of_the_client(layers: ModuleType, tmp_path: Path) -> None:
    """Only the file that a part belongs to may touch the part's fields.

    Other files may pass the part on.
    """
    folder = write(
        tmp_path,
        client_IN_guard_DOT_c="void\nopen(Client *self)\n{\n    self->guard.phase = 1;\n}\n",
        client_IN_other_DOT_c="void\nsteal(Client *self)\n{\n    self->guard.phase = 1;\n"
        "    look_at(&self->guard);\n}\n",
    )
    (problem,) = layers.touched_parts(folder, {"guard": "client/guard"})
    assert "other.c:4: only client/guard.c and .h may touch Client.guard" in problem


def test_an_import_of_the_extension(layers: ModuleType, tmp_path: Path) -> None:
    """The extension may import only plain values. The name of a type is not an import."""
    folder = write(
        tmp_path,
        low_IN_one_DOT_c='x = import_attribute("confluent_kafka.admin._groups", "Group");\n'
        'y = import_attribute("confluent_kafka._values.groups", "Group");\n'
        '.name = "confluent_kafka.cimpl.Message",\n',
    )
    (problem,) = layers.c_imports(folder, {"_values"})
    assert "one.c:1: cimpl imports confluent_kafka.admin" in problem


def test_imports_of_the_package(layers: ModuleType, tmp_path: Path) -> None:
    """Absolute and relative imports count, at any depth. Imports for type checkers do not count."""
    folder = write(
        tmp_path / "src" / "confluent_kafka",
        __init___DOT_py="",
        face_DOT_py="",
        high_DOT_py="from . import low\n\n\ndef late():\n    import confluent_kafka.face\n",
        low_DOT_py="from typing import TYPE_CHECKING\n\n"
        "if TYPE_CHECKING:\n    from . import high\n",
    )
    found = {arrow[:2] for arrow in layers.python_arrows(folder)}
    assert found == {
        ("confluent_kafka.high", "confluent_kafka.low"),
        ("confluent_kafka.high", "confluent_kafka.face"),
    }


def test_a_circle_of_two_headers(layers: ModuleType, tmp_path: Path) -> None:
    """A header depends on the files whose functions its code calls.

    Its declarations do not count.
    """
    one_h = "void two(void);\n\nstatic inline void\none(void)\n{\n    two();\n}\n"
    folder = write(
        tmp_path,
        low_IN_one_DOT_h=one_h,
        low_IN_two_DOT_c='#include "low/one.h"\n\nvoid\ntwo(void)\n{\n    one();\n}\n',
    )
    (problem,) = c_problems(layers, folder)
    assert "2 files depend on each other in a circle: low/one uses low/two" in problem
    write(tmp_path, low_IN_one_DOT_h="void two(void);\n")
    assert c_problems(layers, folder) == []


def test_a_circle_of_types(layers: ModuleType, tmp_path: Path) -> None:
    """Two modules that import each other's types form a circle.

    An __init__ may import the types of its modules.
    """
    of_types = "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from confluent_kafka.{} import X\n"
    package = tmp_path / "src" / "confluent_kafka"
    write(
        package,
        __init___DOT_py=of_types.format("one"),
        one_DOT_py="import confluent_kafka.two\nimport confluent_kafka\n",
        two_DOT_py=of_types.format("one"),
    )
    assert list(layers.described_circles(layers.python_arrows(package))) == []
    (problem,) = layers.described_circles(layers.python_arrows(package, types=True))
    assert "2 files depend on each other in a circle" in problem
