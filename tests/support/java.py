"""Options of a Java that does not live long, for each that a test starts."""

from __future__ import annotations

import os

# Compiling well, and proving again what the compiler of its classes proved, costs such a Java more
# than it gains: Spark takes a third of the processor's time, and a broker starts a fifth sooner.
QUICK_START = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto "
    "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)


def start_java_quickly() -> None:
    """For Spark's drivers, and for what works out their commands, below this process.

    Executors on a cluster get theirs from ``spark.executor.extraJavaOptions``.
    """
    for name in ("SPARK_SUBMIT_OPTS", "SPARK_LAUNCHER_OPTS"):
        os.environ.setdefault(name, QUICK_START)
