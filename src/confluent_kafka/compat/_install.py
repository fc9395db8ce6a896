"""Makes a compatibility API importable under the name of the original package."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable, Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution, DistributionFinder
from types import ModuleType
from typing import Any, NamedTuple

from confluent_kafka._suggestions import did_you_mean


class _Face(NamedTuple):
    """The module that replaces a package.

    Args:
        module: the name of the module.
        distribution: the name of the package's distribution.
    """

    module: str
    distribution: str


# The modules by package and generation; the first generation is the default.
_FACES = {
    "aiokafka": {"0": _Face("confluent_kafka.compat.aiokafka", "aiokafka")},
    "kafka": {
        "3": _Face("confluent_kafka.compat.kafka", "kafka-python"),
        "2": _Face("confluent_kafka.compat.kafka_2", "kafka-python"),
        "0.9": _Face("confluent_kafka.compat.kafka_0_9", "kafka-python"),
    },
}


def install(name: str, generation: str | None = None) -> None:
    """Let ``import NAME`` import this project's version of a package, in this process.

    Programs and libraries that import the package or its modules then run on librdkafka without
    changes. ``importlib.metadata`` also shows the package as installed. Call this function before
    anything imports the package. A second call does nothing. ::

        import confluent_kafka.compat

        confluent_kafka.compat.install("aiokafka")

    Args:
        name: the package: "aiokafka" or "kafka".
        generation: the version of kafka-python: "3" (the default), "2" or "0.9".

    Raises:
        ValueError: this project has no such package, or no such generation of it.
        RuntimeError: the original package was imported before, or another generation is installed.
    """
    if name not in _FACES:
        raise ValueError(
            f"no package {name!r} here, only: {', '.join(_FACES)}; {did_you_mean(name, _FACES)}"
        )
    face = _face_of(name, generation)
    for finder in sys.meta_path:
        if isinstance(finder, _Finder) and finder.name == name:
            if finder.face != face:
                raise RuntimeError(f"{name} is {finder.face.module} already")
            return
    if name in sys.modules:
        raise RuntimeError(
            f"{name} was imported before, from {sys.modules[name].__file__}: call install() first"
        )
    sys.meta_path.insert(0, _Finder(name, face))


def _face_of(name: str, generation: str | None) -> _Face:
    generations = _FACES[name]
    if generation is None:
        return next(iter(generations.values()))
    if generation not in generations:
        raise ValueError(
            f"no generation {generation!r} of {name} here, only: {', '.join(generations)}"
        )
    return generations[generation]


class _Finder(DistributionFinder):
    """Finds a package's modules in the module that replaces it.

    Args:
        name: the package.
        face: the module that replaces it.
    """

    def __init__(self, name: str, face: _Face) -> None:
        self.name = name
        self.face = face

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        if fullname != self.name and not fullname.startswith(f"{self.name}."):
            return None
        own = importlib.util.find_spec(self.face.module + fullname[len(self.name) :])
        if own is None:
            return None
        is_package = own.submodule_search_locations is not None
        return ModuleSpec(fullname, _Alias(own.name), is_package=is_package)

    def find_distributions(
        self,
        context: DistributionFinder.Context = DistributionFinder.Context(),  # noqa: B008
    ) -> Iterable[Distribution]:
        name = self.face.distribution
        if context.name is None or context.name.lower().replace("_", "-") == name:
            yield _Installed(name, importlib.import_module(self.face.module).__version__)


class _Alias(Loader):
    """Gives a module another name in ``sys.modules``; both names mean the same module.

    Args:
        name: the module's own name.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(self._name)
        self._own = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The import has given the module the alias's spec.
        module.__spec__ = self._own


class _Installed(Distribution):
    """The name and the version that ``importlib.metadata`` returns for a package.

    Args:
        name: the package.
        version: the version.
    """

    def __init__(self, name: str, version: str) -> None:
        self._text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"

    def read_text(self, filename: str) -> str | None:
        return self._text if filename == "METADATA" else None

    def locate_file(self, path: Any) -> Any:
        return path
