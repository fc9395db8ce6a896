"""Import paths of generated Protobuf code for ``confluent/type/*.proto``."""
