"""The documentation site: `make site` builds it from these pages and the docstrings."""

from __future__ import annotations

import sys
from pathlib import Path

import confluent_kafka

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))

project = "confluent-kafka"
author = "The authors of this package"
copyright = "2026, the authors of this package"  # noqa: A001 (Sphinx's name)
version = release = confluent_kafka.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "error_codes",
    "exact_links",
    "kips",
    "llms",
    "mentions",
    "properties",
    "search_words",
    "stub_signatures",
    "versions",
]
templates_path = ["_templates"]
exclude_patterns = ["_extensions", "_templates", "_build"]
suppress_warnings = ["myst.header"]  # a page of examples may begin below its title

autodoc_member_order = "groupwise"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_attr_annotations = False
napoleon_use_rtype = False

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = "confluent-kafka"
html_static_path = ["_static"]
html_show_sphinx = False
# The theme's own parts, and the version below the name.
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/versions.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
# Nothing is loaded from elsewhere: the site works without a network.
html_theme_options = {"navigation_with_keys": True}
