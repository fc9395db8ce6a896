"""Import paths of generated Protobuf code, which imports a module for each file it depends on.

Each module has the same messages and numbers as the module that protoc generates. A program can
use these modules even if it has generated its own.
"""
