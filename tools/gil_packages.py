"""Prints the installed packages that turn on the GIL of a free-threaded CPython.

CPython turns the GIL on for the whole process when it loads an extension module that does not
declare its support. Tests in such a process would no longer show that they pass without a GIL.
tools/installed.py runs this program with the interpreter of the environment to test.
"""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
from importlib.metadata import Distribution, distributions

# Some modules cannot be imported alone. Other modules of their package load them.
IMPORT = """
import contextlib, importlib, sys
for name in sys.argv[1:]:
    with contextlib.suppress(Exception):
        importlib.import_module(name)
"""


def extensions(package: Distribution) -> list[str]:
    """Return the names of a package's extension modules."""
    suffix: str = sysconfig.get_config_var("EXT_SUFFIX")
    files = [str(each) for each in package.files or [] if each.name.endswith(suffix)]
    return [each.removesuffix(suffix).replace("/", ".") for each in files]


def first_without_support(modules: list[str]) -> str | None:
    """Import modules in a process of their own; return the module that CPython's warning names.

    It can be a module of another package, which one of these modules has imported.
    """
    command = [sys.executable, "-W", "ignore", "-W", "always::RuntimeWarning", "-c", IMPORT]
    result = subprocess.run([*command, *modules], capture_output=True, text=True, check=False)
    named = re.search(r"GIL\) has been enabled to load module '([^']+)'", result.stderr)
    return named and named[1]


def main() -> None:
    for package in distributions():
        modules = extensions(package)
        if first_without_support(modules) in modules:
            print(package.name)


if __name__ == "__main__":
    main()
