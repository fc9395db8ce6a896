"""The former import path of ``confluent/type/decimal.proto``."""
