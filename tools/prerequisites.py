"""Checks the requirements of a build from source; one message names all that are missing.

setup.py runs this check before it compiles. `make build` runs tools/system.sh first, which can also
install the requirements.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import librdkafka

# Package managers and their commands. Each Need has the name of its package for each manager.
MANAGERS = {
    "apt-get": "sudo apt-get install -y --no-install-recommends",
    "dnf": "sudo dnf install -y",
    "apk": "apk add",
    "brew": "brew install",
}


@dataclass(frozen=True)
class Need:
    """A requirement, and the package that provides it, by the command that installs packages."""

    what: str
    packages: dict[str, str]


def _need(what: str, debian: str, fedora: str, alpine: str, brew: str = "") -> Need:
    packages = dict(zip(MANAGERS, (debian, fedora, alpine, brew), strict=True))
    return Need(what, packages)


# Commands by name, and libraries by the name that pkg-config has for them.
COMMANDS = {
    "pkg-config": _need(
        "pkg-config, which finds libraries", "pkg-config", "pkgconf", "pkgconf", "pkg-config"
    ),
    "make": _need("make", "make", "make", "make"),
    "patch": _need("patch", "patch", "patch", "patch"),
    "bash": _need("bash, for librdkafka's configure", "bash", "bash", "bash"),
}
LIBRARIES = {
    "openssl": _need(
        "OpenSSL's headers (openssl.pc)", "libssl-dev", "openssl-devel", "openssl-dev", "openssl@3"
    ),
    "libcurl": _need(
        "curl's headers (libcurl.pc)", "libcurl4-openssl-dev", "libcurl-devel", "curl-dev", "curl"
    ),
    "libzstd": _need(
        "zstd's headers (libzstd.pc)", "libzstd-dev", "libzstd-devel", "zstd-dev", "zstd"
    ),
    "zlib": _need("zlib's headers (zlib.pc)", "zlib1g-dev", "zlib-devel", "zlib-dev"),
}
# Only librdkafka's own build needs these.
OF_THE_LIBRARY = ("make", "patch", "bash")


def missing() -> list[Need]:
    """Return the requirements of the configured build that this machine lacks."""
    if sys.platform == "win32":
        # librdkafka.py reports a missing LIBRDKAFKA_PREFIX, and setuptools a missing compiler.
        return []
    needs = [_compiler(), _headers()]
    if "LIBRDKAFKA_PREFIX" in os.environ:
        return [need for need in needs if need]
    pkg_config = os.environ.get("PKG_CONFIG", "pkg-config")
    if not shutil.which(pkg_config):
        needs.append(COMMANDS["pkg-config"])
    elif os.environ.get("LIBRDKAFKA") != "system":
        needs += [need for name, need in LIBRARIES.items() if not librdkafka.known(name)]
    if librdkafka.needs_build():
        needs += [COMMANDS[name] for name in OF_THE_LIBRARY if not shutil.which(name)]
        needs.append(_sources())
    return [need for need in needs if need]


def _compiler() -> Need | None:
    command = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    if shutil.which(name := shlex.split(command)[0]):
        return None
    named = f"a C compiler ({name}; the variable CC can name another one)"
    return _need(named, "build-essential", "gcc", "build-base", "gcc")


def _headers() -> Need | None:
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if header.exists():
        return None
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return _need(
        f"the headers of this Python ({header})",
        f"python{version}-dev",
        f"python{version}-devel",
        "python3-dev",
        f"python@{version}",
    )


def _sources() -> Need | None:
    if not librdkafka.needs_download() or shutil.which("npm"):
        return None
    return _need(
        f"the sources of librdkafka {librdkafka.VERSION}: set LIBRDKAFKA_ARCHIVE to the file that "
        f"'npm pack {librdkafka.NPM_PACKAGE}' writes on any machine, or install npm",
        "npm",
        "npm",
        "npm",
        "node",
    )


def check() -> None:
    """Raise librdkafka.BuildError with the message if something is missing."""
    if needs := missing():
        raise librdkafka.BuildError(message(needs))


def message(needs: list[Need]) -> str:
    """Return a text with all requirements and the command that installs them."""
    lines = ["this machine lacks what the build needs:"]
    lines += [f"  - {need.what}" for need in needs]
    manager = next((name for name in MANAGERS if shutil.which(name)), None)
    packages = [need.packages[manager or "apt-get"] for need in needs]
    names = " ".join(dict.fromkeys(name for name in packages if name))
    if manager:
        lines.append(f"Install it: {MANAGERS[manager]} {names}")
    else:
        lines.append(f"Install it; Debian's packages are: {names}")
    return "\n".join(lines)
