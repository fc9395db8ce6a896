"""``python -m confluent_kafka``: the command line."""

import sys


def main() -> None:
    try:
        from confluent_kafka.cli import app
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in {"rich", "typer"}:
            raise
        sys.exit(
            f"The command line needs {package}, which is not installed.\n"
            "Install it with: python -m pip install 'confluent-kafka[cli]'"
        )
    app()


if __name__ == "__main__":
    main()
