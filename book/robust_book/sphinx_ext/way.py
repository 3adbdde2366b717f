"""One prediction's way through book and library, from a command to a page, as a drawing."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from robust_book.figures import style
from robust_book.html.markup import Html, lines, text
from robust_book.html.svg import theme_svg
from robust_book.sphinx_ext.page import Page


@dataclass(frozen=True)
class Step:
    """One function on the way.

    Attributes:
        name: path below its package, which begins with the sub-package.
    """

    name: str
    words: str

    @property
    def room(self) -> str:
        """Return the sub-package of the function."""
        return self.name.partition(".")[0]

    @property
    def package(self) -> str:
        """Return the package of the function."""
        return next(package for package, rooms in ROOMS.items() if self.room in rooms)


# A test follows a real run and finds these calls in this order.
WAY: Mapping[str, tuple[Step, ...]] = MappingProxyType(
    {
        "Names become things": (
            Step("commands.execute.execute", "the cells of a notebook are executed"),
            Step("run.start.start", "a run of a chapter; all names are checked"),
            Step("run.network.resolved", "a name of the paper: a network of ours"),
            Step("run.image_sets.image_set", "a role of the profile: an image set"),
            Step("run.networks.classifiers", "networks: classifiers, one per seed"),
            Step("training.zoo.trained", "weights, trained now or found by their digest"),
            Step("models.torch_models.build", "a module of torch that holds them"),
        ),
        "Things become predictions": (
            Step("run.run.Run.grid", "the notebook requests all corruptions"),
            Step("protocols.grid.evaluate", "each network, corruption and severity"),
            Step("predict.classify.predict_all", "the only loop over images"),
            Step("datasets.imagenet_c.Corrupted.batch", "some images"),
            Step("corruptions.corrupt", "corrupted, once for all networks"),
            Step("cache.Store.put", "predictions, under a digest of all they depend on"),
        ),
        "Predictions become a page": (
            Step("protocols.corruption_error.results", "predictions: rows, one per number"),
            Step("metrics.intervals.clopper_pearson", "arrays: an interval"),
            Step("chapters.inc_2_mce.corruption_errors", "rows: what the page shows of them"),
            Step("figures.heatmaps.models_by_corruption", "a table: a figure"),
            Step("page.Page.item", "everything that belongs to one item"),
            Step("results.compare.compare", "our rows and the paper's: verdicts"),
            Step("html.item.block", "HTML that needs no other file"),
            Step("page.Page.save", "rows, figures, verdicts, provenance: files"),
            Step("commands.site.build", "all chapters: the site"),
        ),
    }
)

# Upper rooms first, as the layers in pyproject.toml have them.
ROOMS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "robust_book": ("commands", "chapters", "page", "figures", "html"),
        "robust_lib": (
            "run",
            "protocols",
            "predict",
            "training",
            "models",
            "datasets",
            "results",
            "metrics",
            "corruptions",
            "cache",
        ),
    }
)
_COLUMNS = [room for rooms in ROOMS.values() for room in rooms]

_ALT = (
    "The way of a prediction, one row per function and one column per room, those of the book on "
    "the left and those of the library on the right: from the command through run down to training "
    "and models; again from run through protocols and predict down to corruptions and cache; then "
    "from protocols through metrics to the chapter, its figure and its page, once more down to "
    "results for the verdicts, and back to the files of the page and the site."
)
_CAPTION = (
    "robust run inc_2_mce, call by call. Upper rooms are on the left, and the book is above the "
    "library. A full line goes down to a lower room, a dotted one back up with the result."
)
_BLUE, _GREY = "#0072B2", "#8A8A94"
_NAME = len(_COLUMNS) + 0.3  # where texts begin, in columns


def draw(page: Page) -> Html:
    """Return the drawing with its caption."""
    drawn = theme_svg(style.svg(figure()), prefix="way", title=_ALT)
    caption = f'<figcaption class="rb-small">{text(_CAPTION)}</figcaption>'
    return lines('<figure class="rb-figure">', drawn, f"{caption}</figure>")


def figure() -> Figure:
    """Return one row per step: its sub-package as a point, its name, and its result."""
    rows: list[str | Step] = []
    for stage, steps in WAY.items():
        rows += [stage, *steps]
    with style.house():
        made = Figure(figsize=(style.WIDE, 0.36 * len(rows) + 1.0))
        axis = made.subplots()
        axis.set_axis_off()
        axis.set_xlim(-0.5, _NAME + 16)
        axis.set_ylim(len(rows) - 0.4, -2.6)
        _rooms(axis, len(rows))
        points = []
        for place, row in enumerate(rows):
            if isinstance(row, str):
                axis.text(_NAME, place + 0.1, row, fontsize=8.5, weight="bold", va="center")
            else:
                points.append((_COLUMNS.index(row.room), place))
                axis.text(_NAME, place - 0.2, row.name, family="monospace", fontsize=8, va="center")
                axis.text(_NAME, place + 0.22, row.words, fontsize=8, va="center", color=_GREY)
        _line(axis, points)
    return made


def _rooms(axis: Axes, rows: int) -> None:
    """Draw one line per sub-package with its name above, and the packages above these."""
    for place, room in enumerate(_COLUMNS):
        axis.plot([place, place], [-0.2, rows - 0.5], color=_GREY, linewidth=0.4, zorder=1)
        axis.text(place - 0.2, -0.5, room, fontsize=style.SMALLEST, rotation=60, va="bottom")
    for package, (first, *_) in ROOMS.items():
        axis.text(_COLUMNS.index(first), -2.35, package, fontsize=8.5, weight="bold")


def _line(axis: Axes, points: list[tuple[int, int]]) -> None:
    """Join the steps: a call is a solid line, a returned value a dotted one."""
    for (left, top), (right, bottom) in pairwise(points):
        calls = right >= left
        axis.plot(
            [left, right],
            [top, bottom],
            color=_BLUE if calls else _GREY,
            linestyle="-" if calls else ":",
            linewidth=1.2 if calls else 0.9,
            zorder=2,
        )
    axis.plot(*zip(*points, strict=True), "o", color=_BLUE, markersize=4, zorder=3)
