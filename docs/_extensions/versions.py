"""The versions of the site: a folder for each, and a list of them made from CHANGELOG.md.

`make site` builds build/site/<version>/. Next to that folder this module writes:

- `versions.html`, which lists every version of the changelog and links the versions of the site;
- `latest/`, in which every page leads to the same page of the newest version;
- `index.html`, which leads to `latest/`.
"""

from __future__ import annotations

import html
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
CHANGELOG = ROOT / "CHANGELOG.md"

# ## 2.16.1, build 1 - 2026-11-26
_HEADING = re.compile(
    r"^## \[?(?P<number>\d+(?:\.\d+)+)\]?(?:, build (?P<build>\d+))?(?: - (?P<date>[\d-]{10}))?$",
    re.MULTILINE,
)

_REDIRECT = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<link rel="canonical" href="{target}"><meta http-equiv="refresh" content="0; url={target}">
<script>location.replace("{target}" + location.search + location.hash)</script>
</head><body><a href="{target}">{title}</a></body></html>
"""

_LIST = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Versions of {title}</title>
<style>body {{ font: 1rem/1.6 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; \
padding: 0 1rem }} td, th {{ padding-right: 2rem; text-align: left }}</style>
</head><body><h1>Versions of {title}</h1>
<table><tr><th>Version</th><th>Date</th></tr>
{rows}
</table></body></html>
"""


class Version(NamedTuple):
    """A version of the package."""

    number: str
    """Such as ``2.16.1``."""
    build: str | None
    """The newest build of the version."""
    date: str | None
    """The date of the release, such as ``2026-11-26``; None before the release."""


def versions(changelog: str) -> list[Version]:
    """Return the versions of a changelog in its order, the newest first.

    A version with several builds is listed once, with its newest build. A heading without a date
    takes the date of the release's tag, such as ``v2.16.1-1``.
    """
    found: dict[str, Version] = {}
    for heading in _HEADING.finditer(changelog):
        number, build, date = heading["number"], heading["build"], heading["date"]
        if number not in found:
            tag = f"v{number}-{build}" if build else f"v{number}"
            found[number] = Version(number, build, date or _tagged(tag))
    return list(found.values())


def _tagged(tag: str) -> str | None:
    command = ["git", "log", "-1", "--format=%cs", tag, "--"]
    try:
        answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:  # git is not installed
        return None
    return answer.stdout.strip() or None


def publish(folder: Path, pages: list[str], title: str) -> None:
    """Write the list of versions and the redirects next to a version of the site.

    Args:
        folder: the site of one version; its name is the version.
        pages: the names of its pages, without ``.html``.
        title: the name of the project.
    """
    known = versions(CHANGELOG.read_text(encoding="utf-8"))
    if folder.name != known[0].number:  # an older version: the newest one wrote the redirects
        return
    root = folder.parent
    rows = "\n".join(_row(each, root) for each in known)
    listed = _LIST.format(title=html.escape(title), rows=rows)
    (root / "versions.html").write_text(listed, encoding="utf-8")
    for page in pages:
        up = "../" * (page.count("/") + 1)
        _redirect(root / "latest" / f"{page}.html", f"{up}{folder.name}/{page}.html", title)
    _redirect(root / "index.html", "latest/index.html", title)


def _row(version: Version, root: Path) -> str:
    name = version.number + (f", build {version.build}" if version.build else "")
    if (root / version.number).is_dir():
        name = f'<a href="{version.number}/index.html">{name}</a>'
    return f"<tr><td>{name}</td><td>{version.date or 'not released yet'}</td></tr>"


def _redirect(file: Path, target: str, title: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    text = _REDIRECT.format(target=target, title=html.escape(title))
    file.write_text(text, encoding="utf-8")


def _finish(app: Sphinx, failure: Exception | None) -> None:
    if failure is None and app.builder.format == "html":
        publish(Path(app.outdir), sorted(app.env.found_docs), app.config.project)


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the list and the redirects when all pages are there."""
    app.connect("build-finished", _finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
