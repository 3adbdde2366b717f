"""The house style, colours that distinguish networks, and the two file formats of a figure."""

import base64
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

import matplotlib as mpl
from matplotlib.figure import Figure
from PIL import Image

from robust_lib.config.manifests import model_colours

SHARES = (0.0, 100.0)
"""Ends of an axis of accuracies, errors and other shares, percent."""
Dash = str | tuple[int, tuple[float, ...]]
_PNG = re.compile(r"data:image/png;base64,\s*([A-Za-z0-9+/=\s]+)")
_ENLARGED = 128  # pixels; smaller pictures fill no column of a page as they are
_STYLE = Path(__file__).with_name("house.mplstyle")
_DASHES: tuple[Dash, ...] = (
    "-",
    (0, (5, 1.6)),
    (0, (1.2, 1.2)),
    (0, (6, 1.6, 1.2, 1.6)),
    (0, (9, 2)),
    (0, (3, 1, 1, 1, 1, 1)),
)

INK = "#1B1B1F"
"""The colour of writing; on a page it is that of the text, dark or light."""
DISTINCT = ("#7A5CF0", "#00757F", "#C47F4C", "#6A8200", "#A47ACC", "#86672D", "#7A9A63")
"""Colours of networks, and of other kinds that have none of their own.

They have a contrast of 3 : 1 on a light page and on a dark one, differ to the colour-blind, and are
none of those below, each of which means one thing in the whole book.
"""
MARKS = ("o", "s", "D", "^", "v", "P", "X")
"""Shapes that tell apart what colour does not: measures and conditions of one run, and networks."""
GREY = "#8A8A94"
"""Of lines and bands that are no numbers, on a light page and on a dark one."""
PAPER, RUN = GREY, "#0072B2"
"""What the papers print, as rings, and this run's numbers."""
ORDINARY, HARD, FOREIGN = "#009E73", "#D55E00", "#D84FB0"
"""Images that are as in training, that a filter chose, and of things without a class."""
RIGHT, WRONG = "text.color", "#D7263D"
"""Above an image: the true class, in the ink of the page, and an answer that is not it."""
SMALLEST = 7.7
"""Size of the smallest writing in a figure, points: 10 pixels on a page of 1,280."""
WIDE = 7.0
"""Inches of the widest figure: what a page of 1,280 pixels shows at its natural size."""

ROLES: Mapping[str, str] = MappingProxyType(
    {
        "the paper": PAPER,
        "this run": RUN,
        "ordinary": ORDINARY,
        "hard": HARD,
        "imagenet-a": HARD,
        "adversarial": HARD,
        "out-of-distribution": FOREIGN,
        "imagenet-o": FOREIGN,
    }
)
"""What a source or a kind of images is called, in small letters -> its colour in every figure."""

FAMILIES: Mapping[str, str] = MappingProxyType(
    {
        "ResNet": "#7A5CF0",
        "ResNeXt": "#A47ACC",
        "DenseNet": "#7A9A63",
        "VGG": "#C47F4C",
        "DPN": "#86672D",
        "MSDNet": "#00757F",
        "Shake-Shake": "#6A8200",
    }
)
"""How titles of a family of networks begin -> the colour of those without one of their own."""
_KINDS: Mapping[str, str] = MappingProxyType({ORDINARY: "o", HARD: "D", FOREIGN: "^"})


@contextmanager
def house() -> Iterator[None]:
    """Apply the house style within the block; matplotlib's settings are restored afterwards.

    >>> with house():
    ...     str(mpl.rcParams["svg.fonttype"])
    'none'
    """
    with mpl.rc_context(fname=str(_STYLE)):
        yield


def colour(title: str, among: Sequence[str] = ()) -> str:
    """Return the fixed colour of a network, source or kind of images, or else a free colour.

    Sources and kinds of images have fixed colours, and so have models or their families. Dashes
    distinguish several members of a family in one figure.

    Args:
        title: as `config.manifests.model_title` has it, or any other name in a legend.
        among: titles of everything that is drawn together.

    >>> colour("ResNet-50"), colour("mine", ["ResNet-50", "mine"])
    ('#7A5CF0', '#00757F')
    >>> colour("ordinary") == ORDINARY, colour("ResNeXt-50-like") == FAMILIES["ResNeXt"]
    (True, True)
    """
    kept = {name: shade for name in (title, *among) for shade in [_kept(name)] if shade}
    if title in kept:
        return kept[title]
    free = [shade for shade in DISTINCT if shade not in kept.values()]
    others = [one for one in among if one not in kept]
    if len(free) < len(others):
        free = list(DISTINCT)  # better each several times than one for all
    return free[others.index(title) % len(free)] if title in others else free[0]


def _kept(title: str) -> str | None:
    source = title.lower().partition(" (")[0]  # "The paper (AlexNet)" is the paper
    if source in ROLES:
        return ROLES[source]
    of_family = (shade for name, shade in FAMILIES.items() if title.startswith(f"{name}-"))
    return model_colours().get(title) or next(of_family, FAMILIES.get(title))


def mark(title: str, among: Sequence[str] = ()) -> str:
    """Return the marker shape of a network, a source or a kind of images.

    Networks of one colour, such as those of a family, have different shapes.

    >>> mark("ResNet-50"), mark("ResNet-18"), mark("hard"), mark("this run")
    ('o', 's', 'D', 'o')
    >>> mark("ResNet-152", ["ResNet-50", "ResNet-152"])
    's'
    """
    shapes = dict(zip((INK, *DISTINCT), ("p", *MARKS), strict=True)) | dict(_KINDS)
    own = colour(title, among)
    alike = [one for one in dict.fromkeys(among) if colour(one, among) == own]
    shape = shapes.get(own, "o")
    if title not in alike[1:] or shape not in MARKS:
        return shape
    return MARKS[(MARKS.index(shape) + alike.index(title)) % len(MARKS)]


def dashes(titles: Sequence[str]) -> dict[str, Dash]:
    """Return title -> line style, so that lines of one colour can be distinguished.

    >>> dashes(["ResNet-34", "ResNet-152", "ResNet-34"])
    {'ResNet-34': '-', 'ResNet-152': (0, (5, 1.6))}
    """
    every = dict.fromkeys(titles)
    return {title: _DASHES[place % len(_DASHES)] for place, title in enumerate(every)}


def svg(figure: Figure) -> str:
    """Return a figure as the text of an SVG file: text stays text, the background is transparent.

    Opaque images in it are JPEG if that is smaller than PNG. Images that are shown enlarged stay
    unchanged, with every pixel visible.

    >>> svg(Figure()).startswith("<?xml")
    True
    """
    text = _saved(figure, "svg", metadata={"Date": None, "Creator": None}).decode()
    return _PNG.sub(_lighter, text)


def _lighter(embedded: re.Match[str]) -> str:
    """Return an embedded image as JPEG if it is opaque and gets smaller, otherwise unchanged."""
    content = base64.b64decode(embedded.group(1))
    picture = Image.open(io.BytesIO(content)).convert("RGBA")
    lowest, _ = cast("tuple[int, int]", picture.getchannel("A").getextrema())
    file = io.BytesIO()
    picture.convert("RGB").save(file, "JPEG", quality=90, subsampling=0)
    if lowest < 255 or max(picture.size) <= _ENLARGED or file.tell() >= len(content):
        return embedded.group()
    return "data:image/jpeg;base64," + base64.b64encode(file.getvalue()).decode("ascii")


def png(figure: Figure) -> bytes:
    """Return a figure as the bytes of a PNG file, on white.

    >>> png(Figure())[1:4]
    b'PNG'
    """
    return _saved(figure, "png", facecolor="white", metadata={"Software": None})


def _saved(figure: Figure, kind: str, **settings: Any) -> bytes:
    """Return the file of a figure, laid out once: done again it would move things by a hair."""
    file = io.BytesIO()
    with house():
        if figure.get_layout_engine() is not None:
            figure.draw_without_rendering()
        # Else saving lays it out anew; "none" would be an engine, too.
        with mpl.rc_context({"figure.constrained_layout.use": False}):
            figure.set_layout_engine(None)
            for legend in figure.legends:  # they would stand in a corner of the box that is saved
                legend.set_bbox_to_anchor((0, 0, 1, 1), figure.transFigure)
            # "tight" would draw all of it once more, only to know its box.
            box = figure.get_tightbbox().padded(mpl.rcParams["savefig.pad_inches"])
            figure.savefig(file, format=kind, bbox_inches=box, **settings)
    return file.getvalue()
