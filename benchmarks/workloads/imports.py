"""Import confluent_kafka in a new process; print the duration and the modules that it loads.

Run this program as a file, not with ``-m``. Otherwise the modules that ``-m`` loads would not count
as loaded by the import.
"""

import sys
import time

before = set(sys.modules)
start = time.perf_counter()
import confluent_kafka  # noqa: E402, F401

seconds = time.perf_counter() - start
loaded = {name.partition(".")[0] for name in set(sys.modules) - before}

import json  # noqa: E402

foreign = sorted(loaded - set(sys.stdlib_module_names) - {"confluent_kafka"})
print(json.dumps({"seconds": seconds, "foreign_modules": foreign}))
