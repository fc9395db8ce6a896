"""``python -m confluent_kafka``: the command line."""

import sys


def main() -> None:
    try:
        from confluent_kafka.cli import app
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in {"rich", "typer"}:
            raise
        if sys.argv[1:] == ["doctor"]:
            from confluent_kafka._diagnosis import print_parts

            print_parts()
            return
        sys.exit(
            f"The command line needs {package}, which is not installed.\n"
            "Install it with: python -m pip install rich typer"
        )
    app()


if __name__ == "__main__":
    main()
