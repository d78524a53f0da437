"""Sphinx configuration: pages in MyST Markdown, with PyData's theme.

It is the theme of scikit-learn, pandas and NumPy, whose users find everything where they look for it.
"""

import json
import os
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from api_pages import arranged
from citing import cited
from course import ExerciseLink
from formulas import Formulas
from messages import Messages
from npm_package import npm_package
from pygments import token
from pygments.lexer import RegexLexer, words
from versions import CURRENT, LIST

import pyfsel

os.environ["PYFSEL_OFFLINE"] = "1"  # the gallery makes its data, so that the site is the same everywhere

project = "pyfsel"
author = "The pyfsel developers"
copyright = "2026, the pyfsel developers"
version = release = pyfsel.__version__
html_title = "pyfsel"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "tests", "playground", "gallery", "sg_execution_times.rst"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
default_role = "obj"

autosummary_generate = True
autosummary_ignore_module_all = False  # `objectives` and `explore` hand names on
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_use_rtype = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
highlight_language = "text"
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_gallery",
    "within_subsection_order": "FileNameSortKey",
    "image_scrapers": ("matplotlib", "gallery_figures"),
    "abort_on_example_error": True,
    "capture_repr": (),
    "write_computation_times": False,
    "download_all_examples": False,
    "show_signature": False,
}

# MathJax from the page's own folder, not from elsewhere
_mathjax = Path(__file__).parent / "_build" / "static" / "mathjax"
_mathjax.mkdir(parents=True, exist_ok=True)
shutil.copy(npm_package("mathjax@3.2.2") / "es5" / "tex-svg.js", _mathjax / "tex-svg.js")
html_static_path = ["_static", "_build/static"]
templates_path = ["_templates"]
mathjax_path = "mathjax/tex-svg.js"

# the list of versions holds this one, until `versions.py` writes that of a site
this_version = os.environ.get("DOCS_VERSION", CURRENT)
(_mathjax.parent / LIST.name).write_text(json.dumps([{"version": this_version, "url": "/"}]))

html_theme = "pydata_sphinx_theme"
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_css_files = ["custom.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "pyfsel", "alt_text": "pyfsel"},
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["help"],
    "navbar_end": ["version-switcher", "theme-switcher", "navbar-icon-links"],
    "switcher": {"json_url": LIST.as_posix(), "version_match": this_version},
    "check_switcher": False,
    "navigation_with_keys": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {
    "index": [],
    "start": [],
    "playground": [],
    "papers": [],
    "troubleshooting": [],
    "contributing": [],
    "changelog": [],
}

# links between files of the repository: pages here, or not part of the site
LINKS = {"(SUPPORT.md)": "(support.md)", "[report.html](report.html)": "`report.html`"}
RECORDS = re.compile(r"\[[^\]]+\]\((experiment_\w+/[\w.-]+\.(?:csv|jsonl|parquet))\)")


def cite_in_docstring(app, what, name, obj, options, lines) -> None:
    """Put author and year into a docstring; a name such as scores_ in the text of a type is no link.

    The example comes first, then tables of parameters and attributes.
    """
    lines[:] = [re.sub(r"(?<![`\w.])(\w+)_(?=[,)])", r"\1\\_", cited(line)) for line in arranged(lines, obj)]


def cite_in_include(app, relative_path, parent_docname, content) -> None:
    """Put author and year, and links to pages, into an included file."""
    text = cited(content[0])
    for link, here in LINKS.items():
        text = text.replace(link, here)
    content[0] = RECORDS.sub(r"`benchmarks/results/\1`", text)


KEYWORDS = """array bool constraint else elseif endif float forall function if in include int intersect
let maximize minimize not of opt output par predicate satisfy set solve string subset sum test then union
var where"""


class MiniZincLexer(RegexLexer):
    """Comments, strings, keywords, annotations and numbers of MiniZinc."""

    name = "minizinc"
    tokens = {  # noqa: RUF012
        "root": [
            (r"%.*", token.Comment),
            (r'"(?:\\.|[^"\\])*"', token.String),
            (words(KEYWORDS.split(), prefix=r"\b", suffix=r"\b"), token.Keyword),
            (r"::\s*\w+", token.Name.Decorator),
            (r"\d+(?:\.\d+)?", token.Number),
            (r"\w+|\s+|.", token.Text),
        ]
    }


def setup(app) -> None:
    """Connect what reads and writes texts."""
    app.add_lexer("minizinc", MiniZincLexer)
    app.add_directive("exercise", ExerciseLink)
    app.add_directive("messages", Messages)
    app.add_directive("formulas", Formulas)
    app.connect("autodoc-process-docstring", cite_in_docstring, priority=400)  # before napoleon
    app.connect("include-read", cite_in_include)
