#!/usr/bin/env python3
"""Finds the librdkafka to build against: by default the pinned, patched release.

The pinned release is patched (tools/patches) and compiled once, as a static archive, into a
prefix under ``$XDG_CACHE_HOME/confluent-kafka`` (``~/.cache`` by default), which every clone and
every Python on this machine uses. docs/project/librdkafka.md describes the disadvantages of another
librdkafka, and how to move to the next release.

Used by setup.py, by the Makefile and by the native benchmark::

    python tools/librdkafka.py                 # build it if necessary, print which
    python tools/librdkafka.py --print cflags  # flags to compile against it
    python tools/librdkafka.py --print libs    # flags to link against it
    python tools/librdkafka.py --print archive # path of the sources' archive; may download it
    python tools/librdkafka.py --check         # build nothing; exit code 1 if a build
                                               # would have to download

Environment:
    LIBRDKAFKA          "system" takes the system's library (pkg-config must find a version that
                        is new enough); "pinned" is the default
    LIBRDKAFKA_ARCHIVE  a .tar.gz with the sources of the same release; nothing is downloaded then
    LIBRDKAFKA_SHA256   its SHA-256 (64 hexadecimal digits); needed with an archive that is not the
                        pinned one, which --print archive downloads
    LIBRDKAFKA_PREFIX   a prefix (include/, lib/) that already holds a librdkafka, for
                        platforms without pkg-config (vcpkg on Windows)
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import hashlib
import os
import platform
import re
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

OLDEST = "2.14"  # csrc/base/compat.h refuses older headers
VERSION = "2.15.1"

# Our patches of the pinned sources. librdkafka itself does not have them (yet). The header of each
# patch gives its reason. They are applied in the order of the series, and within a series by name.
SERIES = ("correctness", "features", "speed")
PATCHES = tuple(
    patch
    for series in SERIES
    for patch in sorted((Path(__file__).resolve().parent / "patches" / series).glob("*.patch"))
)

# The file in a prefix that lists the patches of its library, one line "series/name" for each.
LIST_OF_PATCHES = "PATCHES.txt"

JOBS = os.cpu_count() or 1

# Raise this number when _build() changes the contents of the prefix.
RECIPE = "2"

# The release's sources in the npm registry, inside the package of Confluent's JavaScript client. A
# machine that can use npm can download them, and a published package never changes.
NPM_PACKAGE = "@confluentinc/kafka-javascript@1.10.1"
NPM_SHA256 = "ada7d703bb1d3237e2292bfabf438d663b6160c9f1ac2a2406b5dc4257c81b66"

# If librdkafka's configure does not find a library, it silently builds without that library. If an
# option names the library, that is an error. lz4 and snappy come with the sources.
OPTIONS = (
    "--enable-ssl",
    "--enable-curl",
    "--enable-zstd",
    "--enable-zlib",
    "--disable-lz4-ext",
    "--disable-debug-symbols",
    "--no-download",
)

# More options, by the value of SANITIZE. The thread sanitizer does not see glibc's C11 threads and
# locks.
WATCHED = {
    "thread": (
        "--CFLAGS=-fsanitize=thread -g",
        "--LDFLAGS=-fsanitize=thread",
        "--disable-c11threads",
    ),
    "address,undefined": (
        "--CFLAGS=-fsanitize=address -fno-omit-frame-pointer -g",
        "--LDFLAGS=-fsanitize=address",
    ),
}

# The features in builtin.features. If a feature can be missing, its Debian package is named.
FEATURES = {
    "gzip": "zlib1g-dev",
    "snappy": "",
    "lz4": "",
    "zstd": "libzstd-dev",
    "ssl": "libssl-dev",
    "sasl_plain": "",
    "sasl_scram": "libssl-dev",
    "sasl_oauthbearer": "libssl-dev",
    "oidc": "libcurl4-openssl-dev",
    "plugins": "",
}


class BuildError(Exception):
    """librdkafka cannot be found or built; the message explains what to do."""


@dataclass(frozen=True)
class Flags:
    """The flags to compile and link against one librdkafka."""

    origin: str
    cflags: list[str]
    libs: list[str]
    source: Literal["pinned", "system", "prefix"]
    patches: frozenset[str] = frozenset()  # the patches in the library, by patch_name()


@dataclass(frozen=True)
class Source:
    """A release archive and its required SHA-256."""

    sha256: str
    path: Path | None = None

    @classmethod
    def from_environment(cls) -> Source:
        path = os.environ.get("LIBRDKAFKA_ARCHIVE")
        sha256 = os.environ.get("LIBRDKAFKA_SHA256", "").lower()
        if not path:
            return cls(NPM_SHA256)
        return cls(sha256 or NPM_SHA256, Path(path))


def find() -> Flags:
    """Return the librdkafka to use, and build it first if necessary; raises BuildError."""
    if given := os.environ.get("LIBRDKAFKA_PREFIX"):
        return _in_prefix(Path(given))
    if _system_wanted():
        origin = f"the system's librdkafka {_system_version()}"
        return Flags(origin, *_flags("rdkafka"), "system")
    prefix = _bundled()
    cflags, libs = _flags("rdkafka-static", prefix / "lib" / "pkgconfig")
    # This keeps the folder's name out of the debug information.
    cflags.append(f"-ffile-prefix-map={prefix}=librdkafka-{VERSION}")
    return Flags(f"librdkafka in {prefix}", cflags, libs, "pinned", _patches_in(prefix))


def zstd(rdkafka: Flags) -> tuple[list[str], list[str]] | None:
    """Return the flags for libzstd, which record batches need; None if it is missing.

    Args:
        rdkafka: the librdkafka in use. If it is a static one, its flags can contain libzstd.
    """
    if known("libzstd"):
        return _flags("libzstd")
    return ([], ["-lzstd"]) if "-lzstd" in rdkafka.libs else None


def _in_prefix(prefix: Path) -> Flags:
    cflags, libs = [f"-I{prefix / 'include'}"], [f"-L{prefix / 'lib'}", "-lrdkafka"]
    if sys.platform == "win32":
        libs = [f"/LIBPATH:{prefix / 'lib'}", "rdkafka.lib"]
    elif (prefix / "lib" / "librdkafka.a").exists() and not _shared_libraries(prefix):
        # A static archive does not list the libraries that it needs. The .pc file lists them.
        cflags, libs = _flags("rdkafka-static", prefix / "lib" / "pkgconfig")
    return Flags(f"librdkafka in {prefix}", cflags, libs, "prefix", _patches_in(prefix))


def _shared_libraries(prefix: Path) -> list[Path]:
    return [*prefix.glob("lib/librdkafka.so*"), *prefix.glob("lib/librdkafka*.dylib")]


def needs_build() -> bool:
    """Return whether find() would have to compile the pinned sources."""
    if "LIBRDKAFKA_PREFIX" in os.environ or _system_wanted():
        return False
    return not _prefix(Source.from_environment(), build_options()).is_dir()


def needs_download() -> bool:
    """Return whether find() would have to download the sources."""
    if "LIBRDKAFKA_ARCHIVE" in os.environ or not needs_build():
        return False
    return not _kept_archive().is_file()


def archive() -> Path:
    """Return the verified archive of the pinned sources, and download it if necessary."""
    _cache().mkdir(parents=True, exist_ok=True)
    return _archive(Source.from_environment())


def patch_name(patch: Path) -> str:
    """Return a patch's series and name: "correctness/stop-once"."""
    return f"{patch.parent.name}/{patch.stem}"


def list_patches(prefix: Path, patches: Iterable[Path]) -> None:
    """Record which patches the library in the prefix has."""
    (prefix / LIST_OF_PATCHES).write_text("".join(f"{patch_name(patch)}\n" for patch in patches))


def _patches_in(prefix: Path) -> frozenset[str]:
    """Return the patches of a library; none if this tool has not built it."""
    try:
        return frozenset((prefix / LIST_OF_PATCHES).read_text().split())
    except FileNotFoundError:
        return frozenset()


def _flags(package: str, search: Path | None = None) -> tuple[list[str], list[str]]:
    """Return the flags to compile and to link with a package, from pkg-config."""
    cflags = _pkg_config("--cflags", package, search)
    libs = _pkg_config("--libs", package, search)
    if cflags is None or libs is None:
        raise BuildError(
            f"pkg-config cannot resolve {package}: "
            f"run 'pkg-config --print-errors --libs {package}' to see which library it misses"
        )
    # As a system header, it causes no warnings. Our builds can treat warnings as errors.
    include = [re.sub("^-I", "-isystem", flag) for flag in shlex.split(cflags)]
    return include, shlex.split(libs)


def known(package: str) -> bool:
    """Return whether pkg-config finds a package."""
    return _pkg_config("--exists", package) is not None


def _system_wanted() -> bool:
    wanted = os.environ.get("LIBRDKAFKA") or "pinned"
    if wanted not in ("pinned", "system"):
        raise BuildError(
            f"LIBRDKAFKA={wanted} is neither 'pinned' (the default) nor 'system'; "
            "a library in a folder of its own is named with LIBRDKAFKA_PREFIX"
        )
    return wanted == "system"


def _system_version() -> str:
    version = _pkg_config("--modversion")
    if version is None:
        raise BuildError(
            "LIBRDKAFKA=system, but pkg-config knows no librdkafka: install its development "
            "package, or unset LIBRDKAFKA to have the pinned one built"
        )
    if _pkg_config(f"--atleast-version={OLDEST}") is None:
        raise BuildError(
            f"LIBRDKAFKA=system, but the system's librdkafka is {version} and {OLDEST} is needed: "
            "install a newer one, or unset LIBRDKAFKA to have the pinned one built"
        )
    return version


def _pkg_config(question: str, package: str = "rdkafka", search: Path | None = None) -> str | None:
    """Return the output of pkg-config; None if pkg-config fails or is missing."""
    command = [os.environ.get("PKG_CONFIG", "pkg-config"), question, package]
    environment = dict(os.environ)
    if search is not None:
        given = os.environ.get("PKG_CONFIG_PATH")
        environment["PKG_CONFIG_PATH"] = f"{search}:{given}" if given else str(search)
    try:
        result = subprocess.run(command, env=environment, capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return result.stdout.strip() if result.returncode == 0 else None


def _bundled() -> Path:
    """Return the prefix of the pinned librdkafka, and build it if necessary."""
    source = Source.from_environment()
    options = build_options()
    prefix = _prefix(source, options)
    if prefix.is_dir():
        return prefix
    if sys.platform == "win32":
        raise BuildError(
            "librdkafka's own build does not run on Windows: install it with "
            "'vcpkg install librdkafka' and set LIBRDKAFKA_PREFIX to vcpkg's installed folder"
        )
    _cache().mkdir(parents=True, exist_ok=True)
    with _lock(_cache() / "lock"):
        if not prefix.is_dir():
            _build(_archive(source), options, prefix)
    return prefix


def _cache() -> Path:
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "confluent-kafka"


def _kept_archive() -> Path:
    return _cache() / f"{NPM_SHA256[:12]}.tgz"


def build_options() -> tuple[str, ...]:
    """Return the options of the build. Only GSSAPI depends on the machine: it needs Cyrus SASL."""
    options = (*OPTIONS, "--enable-gssapi" if known("libsasl2") else "--disable-gssapi")
    # The sanitizers also have to watch librdkafka. They find a race only if they watch the code of
    # both threads. Most reads past the end of a response are in librdkafka.
    return (*options, *WATCHED.get(os.environ.get("SANITIZE", ""), ()))


def _prefix(source: Source, options: tuple[str, ...]) -> Path:
    """Return the prefix. Its name contains everything that the compiled archive depends on."""
    target = os.environ.get("MACOSX_DEPLOYMENT_TARGET", "")
    patches = (f"{patch_name(patch)} {digest_of_change(patch)}" for patch in PATCHES)
    recipe = " ".join((RECIPE, source.sha256, target, *options, *patches))
    digest = hashlib.sha256(recipe.encode()).hexdigest()[:12]
    libc = "".join(platform.libc_ver()) or "libc"
    return _cache() / f"librdkafka-{VERSION}-{sysconfig.get_platform()}-{libc}-{digest}"


def digest_of_change(patch: Path) -> str:
    """Return a digest of a patch without its header: a change of the header causes no build."""
    _header, start, change = patch.read_text().partition("\n--- ")
    return hashlib.sha256(f"{start}{change}".encode()).hexdigest()


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Keep two builds on one machine from doing the same work."""
    import fcntl

    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _archive(source: Source) -> Path:
    """Return the verified archive of librdkafka's sources."""
    archive = source.path or _kept_archive()
    if source.path is None and not archive.is_file():
        _say(f"downloading the sources of librdkafka {VERSION}")
        with tempfile.TemporaryDirectory(dir=_cache()) as scratch:
            _npm_pack(Path(scratch))
            (downloaded,) = Path(scratch).glob("*.tgz")
            _verify(downloaded, source.sha256)
            downloaded.rename(archive)
    _verify(archive, source.sha256)
    return archive


def _npm_pack(folder: Path) -> None:
    command = ["npm", "pack", NPM_PACKAGE, "--ignore-scripts", "--silent"]
    way_out = (
        f"or run 'npm pack {NPM_PACKAGE}' on another machine, copy the file and set "
        "LIBRDKAFKA_ARCHIVE to its path"
    )
    try:
        # npm reads a package.json above the current folder, so it runs in a folder without one.
        subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    except FileNotFoundError:
        raise BuildError(
            f"npm is needed to download librdkafka's sources ({NPM_PACKAGE}): install npm, "
            f"{way_out}"
        ) from None
    except subprocess.CalledProcessError as error:
        raise BuildError(
            f"'{shlex.join(command)}' failed: {error.stderr.strip() or error.stdout.strip()}\n"
            f"Check the network, {way_out}"
        ) from None


def _verify(archive: Path, expected: str) -> None:
    try:
        actual = hashlib.sha256(archive.read_bytes()).hexdigest()
    except OSError as error:
        raise BuildError(f"cannot read the archive of librdkafka's sources: {error}") from None
    if actual != expected:
        hint = ""
        if "LIBRDKAFKA_ARCHIVE" in os.environ and not os.environ.get("LIBRDKAFKA_SHA256"):
            hint = (
                f". If it holds librdkafka {VERSION} from somewhere else, set LIBRDKAFKA_SHA256 to "
                "the SHA-256 that its publisher states"
            )
        raise BuildError(
            f"{archive} is not the archive that was pinned: its SHA-256 is {actual}, "
            f"expected {expected}. Nothing was built from it{hint}"
        )


def _build(archive: Path, options: tuple[str, ...], prefix: Path) -> None:
    """Compile the archive, and move the finished prefix into place in one step."""
    log = prefix.with_name(f"{prefix.name}.log")
    began = time.monotonic()
    with tempfile.TemporaryDirectory(dir=prefix.parent) as scratch:
        root = _unpack(archive, Path(scratch))
        stage = Path(scratch) / "stage"
        log.unlink(missing_ok=True)
        _patch(root, log)
        _say(f"configuring librdkafka {VERSION}")
        configure(root, prefix, options, log)
        _say(f"compiling librdkafka {VERSION} ({JOBS} at a time, about a minute on two cores)")
        make(root, log)
        if not os.environ.get("SANITIZE"):  # the check would need a sanitized process
            _check_features(root / "src")
        staged = install(root, prefix, stage, log)
        (root / "LICENSES.txt").rename(staged / "LICENSES.txt")
        list_patches(staged, PATCHES)
        staged.rename(prefix)
    _say(f"librdkafka {VERSION} is ready ({time.monotonic() - began:.0f} s) in {prefix}")


def configure(root: Path, prefix: Path, options: tuple[str, ...], log: Path) -> None:
    run(["bash", "configure", f"--prefix={prefix}", *options], root, log)


def make(root: Path, log: Path) -> None:
    """Compile everything that has changed since the last build."""
    run(["make", "-C", "src", f"-j{JOBS}", "lib"], root, log)


def install(root: Path, prefix: Path, stage: Path, log: Path) -> Path:
    """Copy the library that was compiled for `prefix` below `stage`; return its folder there."""
    run(["make", "-C", "src", "install", f"DESTDIR={stage}"], root, log)
    staged = stage / prefix.relative_to(prefix.anchor)
    # If there is a shared library beside the archive, -lrdkafka links the shared library.
    for shared in _shared_libraries(staged):
        shared.unlink()
    return staged


def apply(patch: Path, root: Path, log: Path) -> None:
    """Apply a patch only to exactly the lines that it was made for."""
    run(["patch", "-p1", "--fuzz=0", "--forward", "-i", str(patch)], root, log)


def unpack(folder: Path) -> Path:
    """Unpack the published sources below `folder`; return the folder of their configure script."""
    return _unpack(archive(), folder)


def read(name: str) -> str:
    """Return a text file of the published sources, without unpacking the other files."""
    path_of_archive = archive()
    with tarfile.open(path_of_archive) as tar:
        for member in tar:
            path = PurePosixPath(member.name)
            if path.parent.name.startswith("librdkafka") and path.name == name:
                file = tar.extractfile(member)
                if file is not None:
                    return file.read().decode()
    raise BuildError(f"{path_of_archive} does not hold librdkafka's {name}")


def _unpack(archive: Path, folder: Path) -> Path:
    """Unpack an archive; return the folder of librdkafka's own configure script."""
    with tarfile.open(archive) as tar:
        # CPython before 3.11.4 has no filter. That is safe, because the archive is pinned.
        tar.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)
        tar.extractall(folder)
    roots = [path.parent for path in folder.rglob("configure.self")]
    if len(roots) != 1:
        raise BuildError(f"{archive} does not hold librdkafka's sources (no configure.self)")
    return roots[0]


def _patch(root: Path, log: Path) -> None:
    for patch in PATCHES:
        apply(patch, root, log)


def unpack_patched(folder: Path) -> Path:
    """Unpack the patched sources into the folder, for tools that read them."""
    root = unpack(folder)
    _patch(root, folder / "log")
    return root


def run(command: list[str], folder: Path, log: Path) -> None:
    # Flags for the extension must not change this archive, because other builds share it.
    unwanted = {"CFLAGS", "CPPFLAGS", "CXXFLAGS", "LDFLAGS", "MAKEFLAGS", "MFLAGS", "MAKELEVEL"}
    environment = {name: value for name, value in os.environ.items() if name not in unwanted}
    with log.open("a") as output:
        try:
            result = subprocess.run(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        except FileNotFoundError:
            raise BuildError(
                f"{command[0]} is needed to build librdkafka and is not installed"
            ) from None
    if result.returncode != 0:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-30:])
        raise BuildError(f"{tail}\n'{shlex.join(command)}' failed; its whole output is in {log}")


def _check_features(folder: Path) -> None:
    """Check which features the new library has, because configure may leave out some silently."""
    extension = "dylib" if sys.platform == "darwin" else "so"
    library = ctypes.CDLL(str(folder / f"librdkafka.{extension}"))
    library.rd_kafka_conf_new.restype = ctypes.c_void_p
    configuration = ctypes.c_void_p(library.rd_kafka_conf_new())
    text = ctypes.create_string_buffer(1024)
    size = ctypes.c_size_t(len(text))
    library.rd_kafka_conf_get(configuration, b"builtin.features", text, ctypes.byref(size))
    library.rd_kafka_conf_destroy(configuration)
    built = text.value.decode().split(",")
    missing = {name: package for name, package in FEATURES.items() if name not in built}
    if missing:
        packages = " ".join(sorted(set(missing.values()) - {""}))
        raise BuildError(
            f"librdkafka was built without {', '.join(missing)} (it has {', '.join(built)}); "
            f"install the development packages ({packages} on Debian) and build again"
        )


def _say(text: str) -> None:
    print(f"==> {text}", file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Finds or builds the librdkafka to use.")
    parser.add_argument("--print", choices=("cflags", "libs", "archive"), help="print this")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a build must download")
    arguments = parser.parse_args()
    try:
        if arguments.check:
            return int(needs_download())
        if arguments.print == "archive":
            print(archive())
            return 0
        flags = find()
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if arguments.print:
        print(shlex.join(flags.cflags if arguments.print == "cflags" else flags.libs))
    else:
        _say(f"using {flags.origin}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
