"""A registry's Protobuf schemas, compiled.

Registries have them as ``.proto`` texts, or as descriptors in base64 where a serializer registered
them so. One kind may import the other. The extra ``protobuf`` must be installed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

# A name that no import has.
_ROOT = "the schema.proto"

# What every registry knows: schemas import it without a reference.
_KNOWN = {
    "confluent/meta.proto": "meta_pb2",
    "confluent/type/decimal.proto": "type.decimal_pb2",
    "confluent/type/variant.proto": "type.variant_pb2",
    "confluent/types/decimal.proto": "types.decimal_pb2",
}


class ProtobufSchemaError(ValueError):
    """A registry's schema cannot be compiled, or does not have the message."""


@dataclass(frozen=True)
class CompiledSchema:
    """A schema of a registry, with all that it imports.

    Args:
        files: a FileDescriptorSet.
    """

    files: Any

    def message(self, name: str | None) -> Any:
        """Return the Descriptor of a message by its full name; of the schema's first without one.

        Raises:
            ProtobufSchemaError: there is none.
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
        # Payloads cannot be of one that is imported: they name it by its place in the schema.
        if found is None or found.file.name != _ROOT:
            raise ProtobufSchemaError(f"the schema has no message {name or ''}".rstrip())
        return found


def compile_registered(schema: Any, registry: Any) -> CompiledSchema:
    """Return a registry's schema, compiled.

    Args:
        schema: the schema, as the registry has it.
        registry: the SchemaRegistryClient, for what it imports.

    Raises:
        ImportError: there is no compiler.
        ProtobufSchemaError: the compiler refuses it.
        SchemaRegistryError: the registry cannot be asked for what it imports.
    """
    if find_spec("grpc_tools") is None or find_spec("google.protobuf") is None:
        raise ImportError(
            "Protobuf schemas of a registry need a compiler: pip install grpcio-tools protobuf",
            name="grpc_tools",
        )
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

    with tempfile.TemporaryDirectory() as folder:
        descriptors = FileDescriptorSet()
        _write(schema, _ROOT, Path(folder), descriptors, registry)
        _add_known(Path(folder), descriptors)
        output, known = Path(folder, "descriptors"), Path(folder, "known descriptors")
        known.write_bytes(descriptors.SerializeToString())
        command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{folder}", "--include_imports"]
        done = subprocess.run(
            [*command, f"--descriptor_set_in={known}", f"--descriptor_set_out={output}", _ROOT],
            check=False,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            # Above them stand the compiler's own log messages.
            errors = [line for line in done.stderr.splitlines() if line.startswith(folder)]
            said = "; ".join(errors).replace(f"{folder}/", "") or done.stderr.strip()
            raise ProtobufSchemaError(f"not a Protobuf schema: {said}")
        return CompiledSchema(FileDescriptorSet.FromString(output.read_bytes()))


def _write(schema: Any, name: str, folder: Path, descriptors: Any, registry: Any) -> None:
    """Put a schema, and those that it imports, where the compiler looks for them."""
    from confluent_kafka.schema_registry.protobuf import schema_file

    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise ProtobufSchemaError(f"the schema imports {name!r}, which is outside of the registry")
    file = schema_file(schema.schema_str)
    if file is not None:
        file.name = name
        descriptors.file.append(file)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(schema.schema_str, encoding="utf-8")
    for reference in schema.references or ():
        imported = registry.get_version(reference.subject, reference.version).schema
        _write(imported, reference.name, folder, descriptors, registry)


def _add_known(folder: Path, descriptors: Any) -> None:
    """Add what can be imported without a reference, unless there is one of that name."""
    given = {file.name for file in descriptors.file}
    for name, module in _KNOWN.items():
        if name not in given and not (folder / name).exists():
            described = import_module(f"confluent_kafka.schema_registry.confluent.{module}")
            file = descriptors.file.add()
            described.DESCRIPTOR.CopyToProto(file)
            file.name = name  # a program may have it under another one
