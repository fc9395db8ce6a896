"""Links of the reference lead to the class that the module they stand in means.

Several packages have a class of the same name: `TopicPartition` is another one in the APIs of
aiokafka and kafka-python. Sphinx would choose one of them, with a warning.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform

if TYPE_CHECKING:
    from sphinx.application import Sphinx


class ExactLinks(SphinxPostTransform):
    """Replaces a name without a module by the full name of what has this name in the module."""

    default_priority = 5  # before Sphinx looks for the targets

    def run(self, **kwargs: Any) -> None:
        """Look at all links of one page."""
        documented = self.env.get_domain("py").data["objects"]
        for node in self.document.findall(addnodes.pending_xref):
            if node.get("refdomain") == "py" and "." not in node["reftarget"]:
                exact = _full_name(node.get("py:module"), node["reftarget"], documented)
                if exact is not None:
                    node["reftarget"] = exact
                    node["refspecific"] = False
                elif sum(known.endswith(f".{node['reftarget']}") for known in documented) > 1:
                    # Several have this name, and none is meant: Sphinx looks for no part of a name.
                    node.attributes.pop("refspecific", None)


def _full_name(module: str | None, name: str, documented: dict[str, Any]) -> str | None:
    """Return the documented name of an object; None when it has none, or is no object."""
    for scope in (*_packages(module), *_packages("confluent_kafka")):
        if (meant := _attribute(scope, name)) is None:
            continue
        for known in documented:
            parent, _, last = known.rpartition(".")
            if last == name and _attribute(parent, name) is meant:
                return known
    return None


def _packages(module: str | None) -> list[str]:
    """Where what a module names is public: itself, and the values of its clients."""
    parts = ("admin", "structs", "errors")
    return [module, *(f"{module}.{part}" for part in parts)] if module else []


def _attribute(module: str, name: str) -> Any:
    try:
        return getattr(importlib.import_module(module), name, None)
    except ImportError:  # there is no such module, or the parent is a class with such a method
        return None


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the transformation."""
    app.add_post_transform(ExactLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
