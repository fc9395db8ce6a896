"""Compiles the Protobuf schemas of a registry.

A registry has them as ``.proto`` texts, or as descriptors in base64 if a serializer registered them
in that form. One kind may import the other. The extra ``protobuf`` must be installed.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

# A file name that no import can have.
_ROOT = "the schema.proto"

# The files that every registry provides: schemas import them without a reference.
_KNOWN = {
    "confluent/meta.proto": "meta_pb2",
    "confluent/type/decimal.proto": "type.decimal_pb2",
    "confluent/type/variant.proto": "type.variant_pb2",
    "confluent/types/decimal.proto": "types.decimal_pb2",
}
# Google's files that registries provide, besides those that every compiler has. The package
# googleapis-common-protos has them.
_GOOGLE = re.compile(r"google/(api|geo|logging|longrunning|rpc|type)/(\w+/)*\w+\.proto")
# An import statement in a text. It may also match in a comment, which does no harm.
_IMPORT = re.compile(r"""\bimport\s*(?:\w+\s*)?["']([^"']+)["']""")


class ProtobufSchemaError(ValueError):
    """A registry's schema cannot be compiled, or does not have the message."""


@dataclass(frozen=True)
class CompiledSchema:
    """A compiled schema of a registry, with all files that it imports.

    Args:
        files: a FileDescriptorSet.
    """

    files: Any

    def message(self, name: str | None) -> Any:
        """Return the Descriptor of a message by its full name; None returns the first message.

        Raises:
            ProtobufSchemaError: the message does not exist.
        """
        from google.protobuf.descriptor_pool import DescriptorPool

        pool: Any = DescriptorPool()
        for file in self.files.file:
            pool.Add(file)
        try:
            file = pool.FindFileByName(_ROOT)
            if name is None:
                return next(iter(file.message_types_by_name.values()))
            found = pool.FindMessageTypeByName(name)
        except (KeyError, StopIteration):
            found = None
        # Payloads cannot use imported messages: they name a message by its place in the schema.
        if found is None or found.file.name != _ROOT:
            raise ProtobufSchemaError(f"the schema has no message {name or ''}".rstrip())
        return found


def compile_registered(schema: Any, registry: Any) -> CompiledSchema:
    """Compile a registry's schema.

    Args:
        schema: the schema, as the registry has it.
        registry: the SchemaRegistryClient, which provides the imported schemas.

    Raises:
        ImportError: there is no compiler, or a package with imported types is not installed.
        ProtobufSchemaError: the compiler refuses the schema.
        SchemaRegistryError: the registry cannot be asked for the imported schemas.
    """
    if find_spec("grpc_tools") is None or find_spec("google.protobuf") is None:
        raise ImportError(
            "Protobuf schemas of a registry need a compiler: pip install grpcio-tools protobuf",
            name="grpc_tools",
        )
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

    with tempfile.TemporaryDirectory() as folder:
        sources = _Sources(Path(folder), registry)
        sources.add(schema, _ROOT)
        sources.add_known()
        output, known = Path(folder, "descriptors"), Path(folder, "known descriptors")
        known.write_bytes(sources.descriptors.SerializeToString())
        command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{folder}", "--include_imports"]
        done = subprocess.run(
            [*command, f"--descriptor_set_in={known}", f"--descriptor_set_out={output}", _ROOT],
            check=False,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            sources.check_packages()
            # The compiler's own log messages come before the errors.
            errors = [line for line in done.stderr.splitlines() if line.startswith(folder)]
            said = "; ".join(errors).replace(f"{folder}/", "") or done.stderr.strip()
            raise ProtobufSchemaError(f"not a Protobuf schema: {said}")
        return CompiledSchema(FileDescriptorSet.FromString(output.read_bytes()))


class _Sources:
    """The sources of a schema: texts in a folder for the compiler, and descriptors.

    Args:
        folder: the folder for the texts.
        registry: the SchemaRegistryClient.

    Attributes:
        descriptors: a FileDescriptorSet.
    """

    def __init__(self, folder: Path, registry: Any) -> None:
        from google.protobuf.descriptor_pb2 import FileDescriptorSet

        self.descriptors: Any = FileDescriptorSet()
        self._folder = folder
        self._registry = registry
        self._names: set[str] = set()
        self._imported: set[str] = set()

    def add(self, schema: Any, name: str) -> None:
        """Add a schema and its references."""
        from confluent_kafka.schema_registry._protobuf_messages import schema_file

        path = (self._folder / name).resolve()
        if not path.is_relative_to(self._folder.resolve()):
            raise ProtobufSchemaError(
                f"the schema imports {name!r}, which is outside of the registry"
            )
        file = schema_file(schema.schema_str)
        if file is not None:
            self._describe(file, name)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(schema.schema_str, encoding="utf-8")
            self._names.add(name)
            self._imported.update(_IMPORT.findall(schema.schema_str))
        for reference in schema.references or ():
            imported = self._registry.get_version(reference.subject, reference.version).schema
            self.add(imported, reference.name)

    def add_known(self) -> None:
        """Add the files that can be imported without a reference, unless they are there already."""
        for name, module in _KNOWN.items():
            if name not in self._names:
                described = import_module(f"confluent_kafka.schema_registry.confluent.{module}")
                # A program may have loaded the file under another name.
                self._describe(_proto_of(described.DESCRIPTOR), name)
        tried: set[str] = set()
        while missing := self._missing_of_google() - tried:
            for name in sorted(missing):
                file = _google_file(name)
                if file is not None:  # if it is missing and imported, the compiler reports it
                    self._describe(_proto_of(file), name)
            tried |= missing

    def check_packages(self) -> None:
        """Raise an ImportError if a package that is not installed would provide a missing file."""
        if find_spec("google.type") is None:
            for name in sorted(self._missing_of_google()):
                raise ImportError(
                    f"the schema imports {name!r}: pip install googleapis-common-protos",
                    name="google.type",
                )

    def _missing_of_google(self) -> set[str]:
        """Return the names of Google's files that are imported and still missing."""
        return set(filter(_GOOGLE.fullmatch, self._imported - self._names))

    def _describe(self, file: Any, name: str) -> None:
        """Add a FileDescriptorProto under a name."""
        self.descriptors.file.append(file)
        self.descriptors.file[-1].name = name
        self._names.add(name)
        self._imported.update(file.dependency)


def _google_file(name: str) -> Any:
    """Return the FileDescriptor of one of Google's files; None if it is not installed."""
    from google.protobuf import descriptor_pool

    try:
        # A file that the program has compiled itself comes first: two files of one name conflict.
        return descriptor_pool.Default().FindFileByName(name)
    except KeyError:
        pass
    try:
        return import_module(f"{name.removesuffix('.proto').replace('/', '.')}_pb2").DESCRIPTOR
    except ModuleNotFoundError:
        return None


def _proto_of(file: Any) -> Any:
    """Return the FileDescriptorProto of a FileDescriptor."""
    from google.protobuf.descriptor_pb2 import FileDescriptorProto

    proto = FileDescriptorProto()
    file.CopyToProto(proto)
    return proto
