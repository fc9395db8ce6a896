"""Finds the message type that a user names in one of several ways."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_KNOWN = "google/protobuf/"


def find_descriptor(descriptor: Any, message: str | None) -> Any:
    """Return a Descriptor.

    Args:
        descriptor: a message class, a Descriptor, or a FileDescriptorSet (also as bytes).
        message: the full name of a message in the FileDescriptorSet; otherwise None.

    Raises:
        ImportError: protobuf is not installed.
        TypeError: the descriptor has another type.
        ValueError: the files are not valid, or do not contain the message.
    """
    try:
        from google.protobuf.descriptor import Descriptor
        from google.protobuf.descriptor_pb2 import FileDescriptorSet
        from google.protobuf.message import DecodeError
    except ImportError as error:
        raise ImportError(
            f"columns of Protobuf need protobuf: pip install protobuf ({error})", name=error.name
        ) from error
    found = getattr(descriptor, "DESCRIPTOR", descriptor)
    if isinstance(descriptor, bytes):
        try:
            descriptor = FileDescriptorSet.FromString(descriptor)
        except DecodeError as error:
            raise ValueError(f"descriptor is not a FileDescriptorSet: {error}") from error
    if isinstance(descriptor, FileDescriptorSet):
        if not isinstance(message, str):
            raise TypeError("message must be the full name of a message of the FileDescriptorSet")
        return _message_of(descriptor, message)
    if not isinstance(found, Descriptor):
        raise TypeError(
            "descriptor must be a message class, a Descriptor or a FileDescriptorSet, not "
            f"{type(descriptor).__name__}"
        )
    if message is not None:
        raise TypeError(
            "message is only for a FileDescriptorSet; this descriptor already names the message"
        )
    return found


def message_indexes_of(descriptor: Any) -> list[int]:
    """Return the index of a message type in its file, after the indexes of the enclosing types."""
    outer = descriptor.containing_type
    if outer is None:
        names = list(descriptor.file.message_types_by_name)
        return [names.index(descriptor.name)]
    names = [one.name for one in outer.nested_types]
    return [*message_indexes_of(outer), names.index(descriptor.name)]


def _message_of(files: Any, name: str) -> Any:
    from google.protobuf.descriptor_pool import DescriptorPool

    pool = DescriptorPool()
    given = {one.name: one for one in files.file}
    added: set[str] = set()

    def add(file_name: str, needed_by: str) -> None:
        """Add a file after the files that it imports, in whatever order they are given."""
        if file_name in added:
            return
        added.add(file_name)
        file = given.get(file_name) or _known_file(file_name)
        if file is None:
            raise ValueError(f"{needed_by} imports {file_name}, which is not in the descriptor")
        for imported in file.dependency:
            add(imported, file_name)
        pool.Add(file)

    try:
        for file_name in given:
            add(file_name, file_name)
        return pool.FindMessageTypeByName(name)
    except TypeError as error:  # the pool's error for invalid files
        raise ValueError(f"the descriptor's files are not valid: {error}") from error
    except KeyError as error:
        raise ValueError(f"the descriptor has no message {name!r}") from error


def _known_file(name: str) -> Any:
    """Return one of the files that every compiler has; sets of files often leave them out."""
    if not name.startswith(_KNOWN) or not name.endswith(".proto"):
        return None
    from google.protobuf.descriptor_pb2 import FileDescriptorProto

    module_name = name.removesuffix(".proto").replace("/", ".") + "_pb2"
    try:
        module = import_module(module_name)
    except ImportError:
        return None
    file = FileDescriptorProto()
    module.DESCRIPTOR.CopyToProto(file)
    return file
