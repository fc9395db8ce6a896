"""Writes docs/reference.md from the docstrings; --check only says whether it is up to date."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
REFERENCE = DOCS / "reference.md"


def render() -> str:
    """The reference as Markdown; a docstring that is not well-formed ends the program."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "sphinx", "-q", "-E", "-b", "markdown"]
        done = subprocess.run(
            [*command, "-d", f"{folder}/doctrees", str(DOCS / "source"), f"{folder}/out"],
            check=False,
            capture_output=True,
            text=True,
        )
        # The Markdown builder has no name for the "/" in a signature and prints it as text.
        problems = [
            line for line in done.stderr.splitlines() if line and "unknown node type" not in line
        ]
        if done.returncode or problems:
            sys.exit("docs: " + "\n".join(problems or [done.stderr]))
        return tidy(Path(folder, "out", "index.md").read_text(encoding="utf-8"))


def tidy(text: str) -> str:
    """What the Markdown builder gets wrong: "/" and "*" in signatures, headings for notes."""
    text = re.sub(r"^(#.*), , (?=\w)", r"\1, \\*, ", text, flags=re.MULTILINE)
    text = re.sub(r"^(#.*\()(?=, \w)", r"\1\\*", text, flags=re.MULTILINE)
    text = re.sub(r"^(#.*), (?=[,)])", r"\1, /", text, flags=re.MULTILINE)
    return re.sub(r"#+ Notes\n\n", "", text)


def main() -> None:
    text = render()
    if sys.argv[1:] == ["--check"]:
        if not REFERENCE.exists() or REFERENCE.read_text(encoding="utf-8") != text:
            sys.exit("docs: docs/reference.md is not what the docstrings say: run `make docs`")
        return
    REFERENCE.write_text(text, encoding="utf-8")
    print(f"wrote {REFERENCE}")


if __name__ == "__main__":
    main()
