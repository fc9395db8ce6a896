"""A reader can type a page of the documentation from its first block to its last block."""

from __future__ import annotations

import importlib.util
import logging
import os
import shutil
import signal
from pathlib import Path

import pytest

from confluent_kafka.testing import MockCluster, MockRegistry
from tests.support.documents import ADDRESS, DOCUMENTS, ROOT
from tests.support.patches import needs
from tests.support.stories import Story, matches, needed, patches, steps
from tests.unit.test_snippets import NOT_RUN, RUN

REGISTRY = "http://localhost:8081"
# The other pages have their own tests (tests/unit/test_snippets.py lists them).
PAGES = [page for page in DOCUMENTS if page not in RUN | NOT_RUN and steps(ROOT / page)]


def _marks(page: str) -> list[pytest.MarkDecorator]:
    needed_patches = patches(ROOT / page)
    marks = [needs(*needed_patches)] if needed_patches else []
    return [*marks, pytest.mark.spark] if "java" in needed(ROOT / page) else marks


@pytest.mark.parametrize("page", [pytest.param(page, marks=_marks(page)) for page in PAGES])
def test_page(page: str, kafka_cluster: MockCluster, tmp_path: Path) -> None:
    """Every block runs with the variables of the blocks above, and prints the output in the
    page."""
    path = ROOT / page
    for package in needed(path):
        if importlib.util.find_spec(package) is None and shutil.which(package) is None:
            pytest.skip(f"{package} is not installed")
    text = path.read_text(encoding="utf-8")
    replaced = {ADDRESS: kafka_cluster.bootstrap_servers}
    if REGISTRY in text:
        with MockRegistry() as registry:
            Story(path, tmp_path, replaced | {REGISTRY: registry.url}).tell()
    else:
        Story(path, tmp_path, replaced).tell()


@pytest.mark.parametrize(
    ("shown", "printed", "fits"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\nb", True),
        ("a\nb\n", "a\nc\n", False),
        ("a ... c\n", "a 12 b c\n", True),
        ("a\n...\nd\n", "a\nb\nc\nd\n", True),
        ("a\n", "a\nb\n", False),
        ("1.5", "125", False),
    ],
)
def test_matches(shown: str, printed: str, fits: bool) -> None:
    """In a page's output, only `...` matches other text."""
    assert matches(shown, printed) is fits


PAGE = """# A page

```python
numbers = [1, 2]
```

Words.

```python
for number in numbers:  # until Ctrl-C
    print("number", number, flush=True)
while True:
    pass
```

```text
number 1
number ...
```

<!-- file: a.txt -->
```ini
address = localhost:9092
```

```console
$ cat a.txt \\
    | tr a-z A-Z
ADDRESS = HERE:1
$ true
```

<!-- not run: it would fail -->
```python
raise SystemExit
```
"""


def test_a_story_leaves_the_process_as_it_was(tmp_path: Path) -> None:
    """After a story, log levels, signal handlers and the environment are the same as before."""
    page = ROOT / "build" / f"{tmp_path.name}.md"
    page.parent.mkdir(exist_ok=True)
    page.write_text(
        "```python\n"
        "import logging, os, signal\n"
        'logging.getLogger("confluent_kafka").setLevel(logging.ERROR)\n'
        'logging.getLogger("new").setLevel(logging.ERROR)\n'
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        'os.environ["KAFKA_STORY"] = "1"\n'
        "```\n",
        encoding="utf-8",
    )
    level, handler = logging.getLogger("confluent_kafka").level, signal.getsignal(signal.SIGTERM)
    try:
        Story(page, tmp_path, {}).tell()
    finally:
        page.unlink()
    assert logging.getLogger("confluent_kafka").level == level
    assert logging.getLogger("new").level == logging.NOTSET
    assert signal.getsignal(signal.SIGTERM) == handler
    assert "KAFKA_STORY" not in os.environ


def test_story(tmp_path: Path) -> None:
    """Variables stay for later blocks, loops end when they have printed the page's output, commands
    run."""
    page = ROOT / "build" / f"{tmp_path.name}.md"
    page.parent.mkdir(exist_ok=True)
    page.write_text(PAGE, encoding="utf-8")
    try:
        story = Story(page, tmp_path, {ADDRESS: "here:1"})
        story.tell()
        page.write_text(PAGE.replace("HERE:1", "THERE"), encoding="utf-8")
        with pytest.raises(AssertionError, match="ADDRESS = HERE:1"):
            Story(page, tmp_path, {ADDRESS: "here:1"}).tell()
    finally:
        page.unlink()
    assert story.ran == 3
    assert (tmp_path / "a.txt").read_text() == "address = here:1\n"
