"""Import paths of generated Protobuf code, which imports a module for each file it depends on.

Each module is like one that protoc generates, with the same messages and numbers, and works beside
one that a program has generated itself.
"""
