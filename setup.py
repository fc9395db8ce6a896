"""Builds the extension module confluent_kafka.cimpl; everything else is in pyproject.toml."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

ROOT = Path(__file__).resolve().parent
CSRC = Path("src/confluent_kafka/csrc")
# The number of our build of one version. build_info() and the names of wheels contain it. The
# version itself comes from confluent-kafka. For each new version, this number starts again at 1.
BUILD = "1"

sys.path.append(str(ROOT / "tools"))
# tools/ is not a package, and is not installed.
import librdkafka  # noqa: E402
import prerequisites  # noqa: E402
import reproducible  # noqa: E402
import sbom  # noqa: E402

# Two builds of the same sources have the same bytes. The code that writes wheels reads
# SOURCE_DATE_EPOCH. It also copies the permissions of the files, so the umask must be fixed, too.
DATE = reproducible.date()
if DATE is not None:
    os.environ["SOURCE_DATE_EPOCH"] = str(DATE)
    os.umask(0o022)


def compile_flags() -> list[str]:
    if sys.platform == "win32":
        return ["/std:c11", "/experimental:c11atomics", "/W3"]
    flags = ["-std=c11", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-O2"]
    # Only PyInit_cimpl is exported. Calls of hidden functions are also cheaper.
    flags.append("-fvisibility=hidden")
    # Assertions and debug information must not contain the path of the build folder.
    flags.append(f"-ffile-prefix-map={ROOT}=.")
    if os.environ.get("CI") == "true" or os.environ.get("WERROR") == "1":
        flags.append("-Werror")
    if sanitizers := os.environ.get("SANITIZE"):
        flags += [f"-fsanitize={sanitizers}", "-fno-omit-frame-pointer", "-g", "-UNDEBUG"]
    return flags


def link_flags() -> list[str]:
    flags = []
    if sys.platform.startswith("linux"):
        # A process can load a second librdkafka for another binding. The symbols of the two must
        # not mix.
        flags.append("-Wl,--exclude-libs,ALL")
    elif sys.platform == "darwin":
        flags.append("-Wl,-exported_symbol,_PyInit_cimpl")
    sanitizers = os.environ.get("SANITIZE", "")
    # A fuzzer preloads its own runtime of all sanitizers, so the extension links no other runtime.
    if sanitizers and "fuzzer-no-link" not in sanitizers:
        flags.append(f"-fsanitize={sanitizers}")
    return flags


@functools.cache
def library() -> librdkafka.Flags:
    """Return the flags of the librdkafka to link, and build it first if necessary."""
    try:
        prerequisites.check()
        return librdkafka.find()
    except librdkafka.BuildError as error:
        sys.exit(f"error: {error}")


def facts_of(rdkafka: librdkafka.Flags) -> dict[str, str]:
    """Return the facts about librdkafka that build_info() returns (csrc/base/build_info.c)."""
    facts = {"LIBRDKAFKA_SOURCE": rdkafka.source}
    for series in librdkafka.SERIES:
        patches = [patch for patch in librdkafka.PATCHES if patch.parent.name == series]
        for prefix, present in (("", True), ("LACKS_", False)):
            facts[f"{prefix}{series.upper()}_PATCHES"] = " ".join(
                patch.stem
                for patch in patches
                if (librdkafka.patch_name(patch) in rdkafka.patches) is present
            )
    return facts


class BuildExtension(build_ext):
    """Compiles only the changed files, and in parallel. setuptools does neither."""

    def build_extension(self, ext: Extension) -> None:
        rdkafka = library()
        # The path in an include starts with the folder: "client/serve.h".
        ext.extra_compile_args = [*compile_flags(), f"-I{CSRC}", *rdkafka.cflags]
        ext.extra_link_args = [*link_flags(), *rdkafka.libs]
        version = self.distribution.get_version()
        facts = {"CONFLUENT_KAFKA_VERSION": version, "CONFLUENT_KAFKA_BUILD": BUILD}
        facts |= facts_of(rdkafka)
        ext.define_macros = [(name, f'"{value}"') for name, value in facts.items()]
        if zstd := librdkafka.zstd(rdkafka):
            ext.extra_compile_args += zstd[0]
            ext.extra_link_args += zstd[1]
            ext.define_macros.append(("HAVE_ZSTD", "1"))
        ext.extra_objects = self.compile_objects(ext)
        ext.sources = []
        # setuptools links only if one of these files is newer than the module.
        ext.depends = ext.extra_objects
        super().build_extension(ext)
        self.document_stub(Path(self.get_ext_fullpath(ext.name)).with_name("cimpl.pyi"))

    def document_stub(self, stub: Path) -> None:
        """Put the docstrings into the stub of a wheel. The repository's stub has none."""
        # A build with a sanitizer cannot be imported without its runtime. It is only for tests.
        if self.inplace or os.environ.get("SANITIZE") or not stub.exists():
            return
        path = str(stub.resolve().parent.parent)
        done = subprocess.run(
            [sys.executable, "-P", "-S", str(ROOT / "tools" / "stub_docs.py"), str(stub)],
            env=os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
            check=False,
        )
        if done.returncode:
            # The extension is for another processor, or its libraries are added later (Windows).
            self.warn("the extension cannot be imported here: its stub is without docstrings")

    def compile_objects(self, ext: Extension) -> list[str]:
        folder = self.object_folder(ext)
        headers = max(Path(name).stat().st_mtime for name in (*ext.depends, __file__))

        def compile_one(source: str) -> str:
            target = folder / self.compiler.object_filenames([source])[0]
            changed = max(headers, Path(source).stat().st_mtime)
            if not target.exists() or target.stat().st_mtime < changed:
                self.compiler.compile(
                    [source],
                    output_dir=str(folder),
                    macros=ext.define_macros,
                    extra_postargs=ext.extra_compile_args,
                )
            return str(target)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(compile_one, ext.sources))

    def object_folder(self, ext: Extension) -> Path:
        """Return a folder of its own for each interpreter and set of flags, to keep all objects."""
        key = [sysconfig.get_config_var("EXT_SUFFIX"), sysconfig.get_path("include")]
        key += [os.environ.get("CC", ""), os.environ.get("CFLAGS", "")]
        # The path of the sources does not change the objects, so it is not part of the key.
        key += [each.replace(str(ROOT), "") for each in ext.extra_compile_args]
        key += map(str, ext.define_macros)
        return Path("build/objects") / hashlib.sha256(" ".join(key).encode()).hexdigest()[:12]


class Wheel(bdist_wheel):
    """Adds the bill of materials to the wheel (PEP 770)."""

    def write_wheelfile(self, wheelfile_base: str, *arguments: Any, **named: Any) -> None:
        super().write_wheelfile(wheelfile_base, *arguments, **named)
        rdkafka = library()
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        bill = sbom.document(project, BUILD, rdkafka.source, rdkafka.patches)
        folder = Path(wheelfile_base) / "sboms"
        folder.mkdir(exist_ok=True)
        (folder / sbom.NAME).write_text(sbom.text(bill), encoding="utf-8")


class SourceDistribution(sdist):
    """Writes the same bytes for the same sources."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        if DATE is not None:
            path = Path(base_dir) / reproducible.FILE
            path.unlink(missing_ok=True)  # it can be a link to the file in the sources
            path.write_text(f"{DATE}\n")

    def make_archive(self, base_name: Any, format: str, *arguments: Any, **named: Any) -> str:  # noqa: A002
        folder = named.get("base_dir")
        if format != "gztar" or DATE is None or folder is None:
            return str(super().make_archive(base_name, format, *arguments, **named))
        target = Path(f"{base_name}.tar.gz")
        target.parent.mkdir(parents=True, exist_ok=True)
        reproducible.tar(Path(folder), target, DATE)
        return str(target)


def description() -> str:
    """Return the README without pictures and relative links: an index does not have their files."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    text = re.sub(
        r"^!\[[^\n]*\n|^<picture>.*?</picture>\n|<!--.*?-->\n", "", text, flags=re.DOTALL | re.M
    )
    return re.sub(r"(?<!!)\[([^]]+)\]\((?!https?:)([^)#]+)[^)]*\)", r"\1 (`\2`)", text)


setup(
    long_description=description(),
    long_description_content_type="text/markdown",
    options={"bdist_wheel": {"build_number": BUILD}},
    ext_modules=[
        Extension(
            "confluent_kafka.cimpl",
            sources=sorted(str(path) for path in CSRC.rglob("*.c")),
            depends=sorted(str(path) for path in CSRC.rglob("*.h")),
        )
    ],
    cmdclass={"build_ext": BuildExtension, "bdist_wheel": Wheel, "sdist": SourceDistribution},
)
