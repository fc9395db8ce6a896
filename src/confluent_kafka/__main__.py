"""``python -m confluent_kafka``: the command line."""

import signal
import sys
from importlib.util import find_spec

_PACKAGES = {"click": "'click>=8.2.1'", "rich": "rich"}
_OF_PIPELINES = {
    "pyspark": "'pyspark>=4.3,<4.4'",
    "pyarrow": "'pyarrow>=18'",
    "pandas": "'pandas>=2.2,<3'",
}


def main() -> None:
    # Until the command is imported, Ctrl-C ends the process at once, without a traceback. But if
    # the parent process ignores Ctrl-C, this process ignores it as well.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if all(map(_is_there, _PACKAGES)):
        from confluent_kafka.cli import app

        app()
    elif sys.argv[1:] == ["doctor"]:
        from confluent_kafka._diagnosis import print_parts

        print_parts()
    else:
        _fail(_PACKAGES | (_OF_PIPELINES if sys.argv[1:2] == ["pipeline"] else {}))


def _is_there(name: str) -> bool:
    if not find_spec(name):
        return False
    if name == "click":  # other packages install older versions, too
        import click.exceptions

        return hasattr(click.exceptions, "NoArgsIsHelpError")  # since 8.2
    return True


def _fail(packages: dict[str, str]) -> None:
    """Name all packages that are missing, with the command that installs them."""
    missing = [name for name in packages if not _is_there(name)]
    needed = " ".join(packages[name] for name in missing)
    sys.exit(
        f"The command line needs packages that are missing or too old: {', '.join(missing)}.\n"
        f"Install them with: python -m pip install {needed}"
    )


if __name__ == "__main__":
    main()
