"""The house style, colours that tell networks apart, and the two files that a figure becomes."""

import base64
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import matplotlib as mpl
from matplotlib.figure import Figure
from PIL import Image

from robust_lib.config.manifests import model_colours

_PNG = re.compile(r"data:image/png;base64,\s*([A-Za-z0-9+/=\s]+)")
_STYLE = Path(__file__).with_name("house.mplstyle")

# Okabe and Ito's colours, told apart by the colour-blind, and readable on white and on black.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#7A6FBE", "#8A8A94")


@contextmanager
def house() -> Iterator[None]:
    """Draw inside this with the house style; matplotlib's settings are as before afterwards.

    >>> with house():
    ...     str(mpl.rcParams["svg.fonttype"])
    'none'
    """
    with mpl.rc_context(fname=str(_STYLE)):
        yield


def colour(title: str, among: Sequence[str] = ()) -> str:
    """Return a model's colour if it has one in every figure, else one that is free.

    Args:
        title: as `config.manifests.model_title` has it, or any other name in a legend.
        among: titles of all that are drawn together.

    >>> colour("ResNet-50"), colour("mine", ["ResNet-50", "mine"])
    ('#0072B2', '#D55E00')
    """
    kept = model_colours()
    if title in kept:
        return kept[title]
    free = [shade for shade in _COLOURS if shade not in {kept.get(one) for one in among}]
    others = [one for one in among if one not in kept]
    if len(free) < len(others):
        free = list(_COLOURS)  # better each several times than one for all
    return free[others.index(title) % len(free)] if title in others else free[0]


def corruption_label(name: str) -> str:
    """Return how a corruption is called in figures and tables.

    >>> corruption_label("jpeg_compression"), corruption_label("gaussian_noise")
    ('JPEG', 'Gaussian noise')
    """
    short = {"jpeg_compression": "JPEG", "elastic_transform": "Elastic"}
    name = name.rpartition(":")[2]  # of a corruption of one's own, the function
    return short.get(name, name.replace("_", " ").capitalize())


def svg(figure: Figure) -> str:
    """Return a figure as the text of an SVG file: text stays text, the ground is transparent.

    Pictures in it are JPEG where that is smaller than PNG and hides nothing behind them.

    >>> svg(Figure()).startswith("<?xml")
    True
    """
    file = io.StringIO()
    _settle(figure)
    with house():
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    return _PNG.sub(_lighter, file.getvalue())


def _lighter(embedded: re.Match[str]) -> str:
    """Return an embedded picture as JPEG if it is opaque and gets smaller, else as it was."""
    content = base64.b64decode(embedded.group(1))
    picture = Image.open(io.BytesIO(content)).convert("RGBA")
    lowest, _ = cast("tuple[int, int]", picture.getchannel("A").getextrema())
    file = io.BytesIO()
    picture.convert("RGB").save(file, "JPEG", quality=90, subsampling=0)
    if lowest < 255 or file.tell() >= len(content):
        return embedded.group()
    return "data:image/jpeg;base64," + base64.b64encode(file.getvalue()).decode("ascii")


def png(figure: Figure) -> bytes:
    """Return a figure as the bytes of a PNG file, on white.

    >>> png(Figure())[1:4]
    b'PNG'
    """
    file = io.BytesIO()
    _settle(figure)
    with house():
        figure.savefig(file, format="png", facecolor="white", metadata={"Software": None})
    return file.getvalue()


def _settle(figure: Figure) -> None:
    """Lay a figure out once: done again at each drawing, it would move things by a hair."""
    if figure.get_layout_engine() is not None:
        with house():
            figure.draw_without_rendering()
        figure.set_layout_engine("none")
