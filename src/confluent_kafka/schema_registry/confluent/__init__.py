"""Import paths of generated Protobuf code, which imports a module for each file it depends on.

Each module has the same messages and numbers as the module that protoc generates. It also works if
the program has generated such a module itself.
"""
