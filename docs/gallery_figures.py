"""For sphinx-gallery: figures that are no window of pyplot, as the package returns them."""

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst

DRAWN = "_drawn_figures"


def figures(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save the figures among the variables of an example that no earlier block has drawn."""
    variables = block_vars["example_globals"]
    drawn = variables.setdefault(DRAWN, [])
    new = [
        value
        for value in variables.values()
        if isinstance(value, Figure) and not hasattr(value, "number") and value not in drawn
    ]
    paths = []
    for figure, path in zip(new, block_vars["image_path_iterator"], strict=False):
        figure.savefig(path, dpi=110)
        drawn.append(figure)
        paths.append(str(Path(path)))
    return figure_rst(paths, gallery_conf["src_dir"])


def _get_sg_image_scraper() -> Any:
    return figures
