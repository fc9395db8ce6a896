"""tools/gil_packages.py names the packages that turn on the GIL of a free-threaded CPython."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from confluent_kafka import build_info

TOOL = Path(__file__).parents[2] / "tools" / "gil_packages.py"
SOURCE = """
#include <Python.h>
static PyModuleDef_Slot slots[] = {{ {slot} {{0, NULL}} }};
static PyModuleDef module = {{PyModuleDef_HEAD_INIT, "_{name}", NULL, 0, NULL, slots}};
PyMODINIT_FUNC PyInit__{name}(void) {{ return PyModuleDef_Init(&module); }}
"""


def install(folder: Path, name: str, slot: str, code: str = "") -> None:
    """Install a package with one extension module, whose slots are given."""
    source = folder / f"{name}.c"
    source.write_text(SOURCE.format(name=name, slot=slot))
    package = folder / name
    package.mkdir()
    (package / "__init__.py").write_text(code)
    library = package / f"_{name}{sysconfig.get_config_var('EXT_SUFFIX')}"
    include = f"-I{sysconfig.get_path('include')}"
    subprocess.run(["cc", "-shared", "-fPIC", include, source, "-o", library], check=True)
    info = folder / f"{name}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    (info / "RECORD").write_text(f"{library.relative_to(folder)},,\n")


@pytest.mark.skipif(not build_info()["free_threaded"], reason="this CPython has a GIL")
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_names_only_the_packages_at_fault(tmp_path: Path) -> None:
    """The program names a package whose module does not declare its support. It does not name a
    package that only imports such a module."""
    supported = "{Py_mod_gil, Py_MOD_GIL_NOT_USED},"
    install(tmp_path, "silent", "")
    install(tmp_path, "declares", supported)
    install(tmp_path, "imports", supported, "import silent._silent")
    result = subprocess.run(
        [sys.executable, str(TOOL)],
        env=os.environ | {"PYTHONPATH": str(tmp_path), "PYTHON_GIL": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    named = set(result.stdout.split())
    assert named & {"silent", "declares", "imports"} == {"silent"}
