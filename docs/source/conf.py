"""The reference is made from the docstrings: tools/docs.py writes it to docs/reference.md."""

project = "confluent_kafka"
extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_markdown_builder"]
autodoc_member_order = "groupwise"
autodoc_typehints = "none"  # the stub has them; a docstring says them in words
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_attr_annotations = False
napoleon_use_rtype = False
