"""Import confluent_kafka in a fresh process: how long it takes and what it loads.

Run as a file, not with ``-m``: what ``-m`` and this program itself load would count as loaded.
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
