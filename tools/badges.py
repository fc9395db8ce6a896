"""Draws the badges of the README, so that the README needs no other server.

    python tools/badges.py          # write them
    python tools/badges.py --check  # check that they are up to date

The texts come from pyproject.toml and from the pinned Apache Kafka (tools/kafka.py).
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import kafka

ROOT = Path(__file__).resolve().parent.parent
BADGES = ROOT / "docs" / "_static" / "badges"
_WIDTH = 6.6  # average width of a character, in pixels
_SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{alt}">
<title>{alt}</title>
<clipPath id="r"><rect width="{width}" height="20" rx="3"/></clipPath>
<g clip-path="url(#r)"><rect width="{left}" height="20" fill="#555"/>\
<rect x="{left}" width="{right}" height="20" fill="#1a6fb5"/></g>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="{label_at}" y="14">{label}</text><text x="{value_at}" y="14">{value}</text></g>
</svg>
"""


def texts() -> dict[str, tuple[str, str]]:
    """Return label and value of each badge, by the name of its file."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pythons = [
        each.rpartition(" ")[2]
        for each in project["classifiers"]
        if each.startswith("Programming Language :: Python :: 3.")
    ]
    return {
        "licence": ("licence", project["license"].partition(" AND ")[0].replace("-", " ")),
        "python": ("Python", f"{pythons[0]} to {pythons[-1]}"),
        "platforms": ("platforms", "Linux"),
        "kafka": ("tested with Kafka", kafka.VERSION),
    }


def drawn(label: str, value: str) -> str:
    """Return a badge as SVG."""
    left, right = (round(len(text) * _WIDTH) + 12 for text in (label, value))
    return _SVG.format(
        alt=f"{label}: {value}",
        width=left + right,
        left=left,
        right=right,
        label=label,
        value=value,
        label_at=left / 2,
        value_at=left + right / 2,
    )


def main() -> None:
    """Write the badges, or compare them."""
    for name, text in texts().items():
        path = BADGES / f"{name}.svg"
        if sys.argv[1:] != ["--check"]:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(drawn(*text), encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != drawn(*text):
            sys.exit(f"badges: {path.name} is out of date: run `python tools/badges.py`")


if __name__ == "__main__":
    main()
