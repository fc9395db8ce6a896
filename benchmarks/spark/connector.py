"""Downloads Spark's own Kafka connector and Avro package from Maven Central into the cache."""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

POM = Path(__file__).with_name("pom.xml")


class ConnectorError(Exception):
    """The connector cannot be downloaded; the message contains the reason."""


@dataclass(frozen=True)
class Connector:
    """The jars, and the releases of the connector and of the Avro package."""

    version: str
    avro_version: str
    jars: tuple[Path, ...]


# If Maven Central does not have PySpark's release (yet), these releases are used: the newest
# connector, the newest token provider (which only handles passwords) and the newest Avro package.
_ELSE = ("4.2.0", "4.0.0", "4.1.1")


def connector(pyspark: str) -> Connector:
    """Return the connector of PySpark's release, or else the newest connector on Maven Central.

    Raises:
        ConnectorError: Maven is missing, or it cannot download any of them.
    """
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "confluent-kafka"
    failures = []
    for version, tokens, avro in dict.fromkeys([(pyspark,) * 3, _ELSE]):
        folder = root / f"spark-connector-{version}-{tokens}-{avro}"
        try:
            if not folder.is_dir():
                _fetch(folder, version, tokens, avro)
        except ConnectorError as error:
            failures.append(f"{version}: {error}")
            continue
        return Connector(version, avro, tuple(sorted(folder.glob("*.jar"))))
    raise ConnectorError("\n".join(failures))


def _fetch(folder: Path, version: str, tokens: str, avro: str) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        jars = Path(scratch) / "jars"
        command = ["mvn", "-q", "-B", "-f", str(POM), "dependency:copy-dependencies"]
        command += [f"-Dconnector.version={version}", f"-Dtokens.version={tokens}"]
        command += [f"-Davro.version={avro}", f"-DoutputDirectory={jars}"]
        try:
            subprocess.run(command, check=True, capture_output=True, text=True, cwd=scratch)
        except FileNotFoundError:
            raise ConnectorError("mvn is needed: install Maven") from None
        except subprocess.CalledProcessError as error:
            raise ConnectorError(error.stdout.strip().partition("\n")[0]) from None
        jars.rename(folder)
