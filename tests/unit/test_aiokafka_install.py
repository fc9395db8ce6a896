"""compat.install() and `confluent-kafka run`: unchanged programs that import aiokafka."""

from __future__ import annotations

from pathlib import Path

import pytest

from confluent_kafka.compat import install
from tests.support.scripts import check_script
from tests.support.waiting import TIMEOUT

pytest.importorskip("click", reason="the extra [cli] is not installed")

from tests.support.command_line import run, started

PROGRAM = """
import sys
import aiokafka.errors
from aiokafka.structs import OffsetAndMetadata
print(__name__, sys.argv, sys.path[0], OffsetAndMetadata.__module__)
sys.exit(int(sys.argv[-1]))
"""


def test_the_face_is_the_package() -> None:
    """`aiokafka` has the modules and submodules of compat.aiokafka; other modules are not found."""
    check_script("""
        import sys
        import confluent_kafka.compat
        confluent_kafka.compat.install("aiokafka")
        confluent_kafka.compat.install("aiokafka")
        import aiokafka
        import aiokafka.coordinator.assignors.range as found
        from aiokafka.errors import KafkaError
        import confluent_kafka.compat.aiokafka as face
        from confluent_kafka.compat.aiokafka import errors
        assert aiokafka is face and KafkaError is errors.KafkaError
        assert sys.modules["aiokafka.errors"] is errors
        assert errors.__spec__.name == errors.__name__ == "confluent_kafka.compat.aiokafka.errors"
        assert found.__name__.startswith("confluent_kafka.")
        try:
            import aiokafka.codec
        except ModuleNotFoundError as error:
            assert error.name == "aiokafka.codec"
        else:
            raise AssertionError
    """)


def test_the_package_is_installed() -> None:
    """importlib.metadata returns the version of compat.aiokafka; other packages are found as
    before."""
    check_script("""
        from importlib import metadata
        import confluent_kafka.compat
        confluent_kafka.compat.install("aiokafka")
        assert metadata.version("aiokafka") == "0.14.0"
        assert metadata.metadata("aiokafka")["Name"] == "aiokafka"
        assert "aiokafka" in {one.metadata["Name"] for one in metadata.distributions()}
        assert metadata.version("pytest")
    """)


def test_too_late(tmp_path: Path) -> None:
    """install() refuses to replace a package that has already been imported."""
    (tmp_path / "aiokafka.py").touch()
    check_script(
        """
        import sys
        sys.path.insert(0, sys.argv[1])
        import aiokafka
        import confluent_kafka.compat
        try:
            confluent_kafka.compat.install("aiokafka")
        except RuntimeError as error:
            assert "aiokafka was imported before, from " + sys.argv[1] in str(error)
        else:
            raise AssertionError
        """,
        str(tmp_path),
    )


def test_an_unknown_package() -> None:
    """The error names the existing packages."""
    with pytest.raises(ValueError, match=r"no package 'aiokafak' here, .* did you mean 'aiokafka'"):
        install("aiokafak")


def test_a_program_is_run(tmp_path: Path) -> None:
    """The program runs with its own name, arguments and folder, and the command returns its exit
    status."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    process = started("run", "--as", "aiokafka", str(program), "--help", "-m", "3")
    output, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 3, errors
    assert (
        output.decode().split()
        == (
            f"__main__ ['{program}', '--help', '-m', '3'] {tmp_path} "
            "confluent_kafka.compat.aiokafka.structs"
        ).split()
    )


def test_a_module_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The option -m runs a module, as Python's -m does."""
    (tmp_path / "program.py").write_text(PROGRAM)
    monkeypatch.chdir(tmp_path)
    process = started("run", "--as", "aiokafka", "-m", "program", "4")
    output, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 4, errors
    assert output.decode().startswith(f"__main__ ['{tmp_path}/program.py', '4'] {tmp_path} ")


def test_wrong_uses() -> None:
    """The command refuses an unknown package, and a call without a program."""
    assert run("run", "--as", "kafkaesque", "program.py").status == 2
    assert run("run", "--as", "aiokafka").status == 2
