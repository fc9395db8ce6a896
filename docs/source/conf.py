"""The reference is made from the docstrings: tools/docs.py writes it to docs/reference.md."""

from sphinx.ext.napoleon import GoogleDocstring

project = "confluent_kafka"
extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_markdown_builder"]
autodoc_member_order = "groupwise"
autodoc_typehints = "none"  # the stub has them; a docstring says them in words
napoleon_use_ivar = True
napoleon_attr_annotations = False
napoleon_use_rtype = False


def _google(app, what, name, obj, options, lines):
    """Docstrings of Python's part have sections as Google writes them, those of C as NumPy does.

    Told apart here: to the reader of Google's style, "host:port" in C's would be a type.
    """
    if any(line.strip() in ("Args:", "Raises:", "Returns:") for line in lines):
        lines[:] = GoogleDocstring(lines, app.config, app, what, name, obj, options).lines()


def setup(app):
    app.connect("autodoc-process-docstring", _google)
