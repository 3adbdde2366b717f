"""Every figure: as many panels as it has things to show, the right numbers, names for readers."""

import io

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from PIL import Image

from robust_lib.errors import InputError
from robust_lib.figures import bars, curves, heatmaps, image_grids, style

MODELS = ("alexnet", "vgg11", "resnet18")
CORRUPTIONS = ("fog", "jpeg_compression", "gaussian_noise")


def shown(axis: Axes) -> list[str]:
    return [label.get_text() for label in axis.get_xticklabels()]


def legend(figure: Figure) -> list[str]:
    found = [*figure.legends, *(axis.get_legend() for axis in figure.axes)]
    return [text.get_text() for one in found if one for text in one.get_texts()]


@pytest.fixture(autouse=True)
def no_trace():
    """No figure may change matplotlib's settings, or be kept by pyplot."""
    before = {name: repr(value) for name, value in mpl.rcParams.items()}
    yield
    assert {name: repr(value) for name, value in mpl.rcParams.items()} == before
    import matplotlib.pyplot as plt

    assert plt.get_fignums() == []


def saved(figure: Figure) -> str:
    """Draw a figure to the end: a bad label or layout fails only then."""
    assert isinstance(figure, Figure)
    style.png(figure)
    text = style.svg(figure)
    assert style.svg(figure) == text
    return text


def values(*numbers):
    return {
        model: (value, value - 0.02, value + 0.05)
        for model, value in zip(MODELS, numbers, strict=True)
    }


def architectures():
    return bars.architectures(
        {"mCE": values(1.0, 0.9, 0.8), "Relative mCE": values(1.0, 1.1, 1.2)},
        {
            "mCE": {"alexnet": 1.0, "vgg11": 0.935, "resnet18": 0.847},
            "Relative mCE": {"alexnet": 1.0, "vgg11": 1.233, "resnet18": 1.039},
        },
        words=("the paper", "this run"),
    )


def test_architectures_stand_beside_the_papers():
    figure = architectures()
    left, right = figure.axes
    assert [axis.get_title(loc="left") for axis in figure.axes] == ["the paper", "this run"]
    assert shown(left) == shown(right) == ["AlexNet", "VGG-11", "ResNet-18"]
    assert left.get_ylim() == right.get_ylim()
    assert "AlexNet = 100" in left.get_ylabel()
    lines = {c.get_label(): c.lines[0] for axis in figure.axes for c in axis.containers}
    assert lines["mCE"].get_ydata().tolist() == pytest.approx([100, 90, 80])
    assert lines["Relative mCE"].get_ydata().tolist() == pytest.approx([100, 110, 120])
    colours = [[c.lines[0].get_color() for c in axis.containers] for axis in figure.axes]
    assert colours[0] == colours[1]  # a metric keeps its colour from panel to panel
    assert colours[0][0] != colours[0][1]
    text = saved(figure)
    assert text.count(">Relative mCE<") == 2


def test_names_of_lines_that_end_alike_do_not_overlap():
    figure = bars.architectures(
        {"mCE": values(1.0, 0.9, 0.801), "Relative mCE": values(1.0, 0.9, 0.8)},
        {},
        words=("the paper", "this run"),
    )
    saved(figure)
    renderer = FigureCanvasAgg(figure).get_renderer()
    one, other = (text.get_window_extent(renderer) for text in figure.axes[1].texts)
    assert not one.overlaps(other)


def test_intervals_of_architectures_are_drawn_where_they_are():
    right = architectures().axes[1]
    segments = right.containers[0].lines[2][0].get_segments()
    assert [sorted(segment[:, 1]) for segment in segments] == [
        pytest.approx([98, 105]),
        pytest.approx([88, 95]),
        pytest.approx([78, 85]),
    ]


def test_a_metric_without_numbers_is_left_out():
    """Without all fifteen corruptions there is no mean."""
    figure = bars.architectures(
        {"mCE": values(1.0, 0.9, 0.8), "Relative mCE": {}}, {}, words=("the paper", "this run")
    )
    assert len(figure.axes[1].containers) == 1
    saved(figure)


def test_too_many_metrics_are_refused():
    five = {name: values(1.0, 1.0, 1.0) for name in "abcde"}
    with pytest.raises(InputError, match="at most 4 metrics in one figure, but got a, b, c, d, e"):
        bars.architectures(five, {}, words=("a", "b"))


def test_lines_that_lack_models_keep_the_others_in_their_places():
    figure = bars.architectures(
        {
            "few": {"alexnet": (0.9, 0.8, 1.0), "resnet18": (0.7, 0.6, 0.8)},
            "all": values(1.0, 0.9, 0.8),
        },
        {},
        words=("the paper", "this run"),
        ylabel="accuracy (%)",
        even=None,
    )
    right = figure.axes[1]
    assert shown(right) == ["AlexNet", "VGG-11", "ResNet-18"]
    lines = {bar.get_label(): bar.lines[0] for bar in right.containers}
    assert list(lines["few"].get_xdata()) == [0, 2]
    assert list(lines["all"].get_xdata()) == [0, 1, 2]
    assert figure.axes[0].get_ylabel() == "accuracy (%)"
    assert len(right.lines) == 2 + 2 * 2  # two lines with two caps each, and none at 100


def by_corruption():
    return pd.DataFrame(
        {"the paper": [82.0, 61.0, 89.0], "this run": [50.0, 70.0, 89.5]}, index=list(CORRUPTIONS)
    )


def test_sources_by_corruption():
    figure = bars.by_corruption(by_corruption(), xlabel="error (%)")
    (axis,) = figure.axes
    assert [t.get_text() for t in axis.get_yticklabels()] == ["Fog", "JPEG", "Gaussian noise"]
    assert axis.get_xlabel() == "error (%)"
    assert legend(figure) == ["the paper", "this run"]
    for line, column in zip(axis.lines, by_corruption(), strict=True):
        assert line.get_xdata().tolist() == by_corruption()[column].tolist()
        assert line.get_ydata().tolist() == [2, 1, 0]  # the first one on top
    segments = axis.collections[0].get_segments()
    assert [segment[:, 0].tolist() for segment in segments] == [[50, 82], [61, 70], [89, 89.5]]
    saved(figure)


def test_no_source_is_dropped():
    frame = by_corruption().assign(another=1.0, still_another=2.0)
    assert len(bars.by_corruption(frame, xlabel="error (%)").axes[0].lines) == 4


def test_error_bars_of_models():
    figure = bars.errors(values(0.5, 0.4, 0.3), xlabel="clean error (%)")
    (axis,) = figure.axes
    patches = [patch for patch in axis.patches if patch.get_width()]
    assert [patch.get_width() for patch in patches] == pytest.approx([50, 40, 30])
    assert [to_hex(patch.get_facecolor()).upper() for patch in patches] == [
        style.colour(model) for model in MODELS
    ]
    assert [t.get_text() for t in axis.get_yticklabels()] == ["AlexNet", "VGG-11", "ResNet-18"]
    low, high = axis.get_ylim()
    assert low > high  # the first one on top
    assert axis.get_xlabel() == "clean error (%)"
    saved(figure)


def by_severity():
    return pd.DataFrame(
        [
            {"corruption": c, "severity": s, "model": m, "error": 10.0 * s + 5 * i}
            for c in CORRUPTIONS
            for i, m in enumerate(MODELS)
            for s in range(6)
        ]
    )


@pytest.mark.parametrize("columns", [2, 3, 5])
def test_a_panel_a_corruption(columns):
    figure = curves.by_severity(by_severity(), columns=columns)
    used = [axis for axis in figure.axes if axis.lines]
    assert [axis.get_title(loc="left") for axis in used] == ["Fog", "JPEG", "Gaussian noise"]
    assert len(figure.axes) % columns == 0
    assert not any(axis.axison for axis in figure.axes[3:])
    for axis in used:
        assert [line.get_color() for line in axis.lines] == [style.colour(m) for m in MODELS]
        assert [line.get_label() for line in axis.lines] == ["AlexNet", "VGG-11", "ResNet-18"]
        assert axis.lines[1].get_xdata().tolist() == [0, 1, 2, 3, 4, 5]
        assert axis.lines[1].get_ydata().tolist() == [5, 15, 25, 35, 45, 55]
        assert axis.get_ylim() == (0, 100)
        assert axis.get_xticks().tolist() == [0, 1, 2, 3, 4, 5]
    assert legend(figure) == ["AlexNet", "VGG-11", "ResNet-18"]
    assert figure.get_supylabel() == "top-1 error (%)"
    assert "severity" in figure.get_supxlabel()
    saved(figure)


def test_training_curves():
    figure = curves.training({"alexnet": [2.0, 1.0, 0.5], "mine": [1.0, 0.9]}, ylabel="loss")
    (axis,) = figure.axes
    assert [line.get_xdata().tolist() for line in axis.lines] == [[1, 2, 3], [1, 2]]
    assert axis.lines[0].get_color() == style.colour("alexnet")
    assert axis.lines[0].get_color() != axis.lines[1].get_color()
    assert legend(figure) == ["AlexNet", "mine"]
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("epoch", "loss")
    saved(figure)


def matrices():
    paper = pd.DataFrame(
        [[100.0, 100, 100], [90, 120, 60]], index=["alexnet", "vgg11"], columns=list(CORRUPTIONS)
    )
    return [paper, paper.rename(index={"vgg11": "mine"}) + 10]


def test_a_heat_map_a_source_on_one_scale():
    figure = heatmaps.models_by_corruption(matrices(), ["the paper", "this run"], unit="CE (%)")
    *maps, bar = figure.axes
    assert [axis.get_title(loc="left") for axis in maps] == ["the paper", "this run"]
    assert [t.get_text() for t in maps[0].get_yticklabels()] == ["AlexNet", "VGG-11"]
    assert [t.get_text() for t in maps[1].get_yticklabels()] == ["AlexNet", "mine"]
    assert shown(maps[-1]) == ["Fog", "JPEG", "Gaussian noise"]
    images = [axis.images[0] for axis in maps]
    for image, frame in zip(images, matrices(), strict=True):
        assert np.array_equal(image.get_array(), frame)
    assert images[0].get_clim() == images[1].get_clim() == (60, 140)  # as far either way of 100
    assert [t.get_text() for t in maps[0].texts] == ["100", "100", "100", "90", "120", "60"]
    assert bar.get_ylabel() == "CE (%)"
    saved(figure)


def test_a_heat_map_without_a_centre_spans_the_values():
    figure = heatmaps.models_by_corruption(matrices(), ["a", "b"], unit="%", centre=None)
    assert figure.axes[0].images[0].get_clim() == (60, 130)


def test_what_is_missing_in_a_heat_map_stays_empty():
    one = matrices()[0].astype(float)
    one.iloc[1, 2] = np.nan
    figure = heatmaps.models_by_corruption([one], ["this run"], unit="%")
    assert len(figure.axes[0].texts) == 5
    assert np.isfinite(figure.axes[0].images[0].get_clim()).all()
    saved(figure)


def test_numbers_can_be_read_on_their_colours():
    figure = heatmaps.models_by_corruption(matrices(), ["a", "b"], unit="%")
    axis = figure.axes[0]
    image = axis.images[0]
    for text in axis.texts:
        column, row = text.get_position()
        ground = image.to_rgba(image.get_array()[int(row), int(column)])[:3]
        bright = np.dot(ground, [0.299, 0.587, 0.114])
        assert (text.get_color() == "white") == (bright < 0.6)


def test_heat_maps_of_different_corruptions_are_refused():
    one, other = matrices()
    with pytest.raises(InputError, match="same corruptions in the same order"):
        heatmaps.models_by_corruption([one, other[other.columns[::-1]]], ["a", "b"], unit="%")


def pictures(count):
    return [np.full((8, 8, 3), 20 * i, np.uint8) for i in range(count)]


@pytest.mark.parametrize(("count", "columns", "rows"), [(6, 3, 2), (7, 3, 3), (1, 1, 1), (4, 5, 1)])
def test_pictures_stand_in_rows_with_their_captions(count, columns, rows):
    captions = [f"picture {i}" for i in range(count)]
    figure = image_grids.grid(pictures(count), captions, columns=columns)
    assert len(figure.axes) == rows * columns
    used = [axis for axis in figure.axes if axis.images]
    assert [axis.get_title() for axis in used] == captions
    for axis, picture in zip(used, pictures(count), strict=True):
        assert np.array_equal(axis.images[0].get_array(), picture)
        assert axis.images[0].get_interpolation() == "nearest"
    assert not any(axis.axison for axis in figure.axes)
    saved(figure)


def test_without_captions_pictures_take_less_room():
    bare = image_grids.grid(pictures(4), [""] * 4, columns=2)
    captioned = image_grids.grid(pictures(4), ["a"] * 4, columns=2)
    assert bare.get_figheight() < captioned.get_figheight()


@pytest.mark.parametrize(("count", "captions"), [(2, ["a"]), (1, ["a", "b"]), (0, [])])
def test_captions_of_another_number_and_no_pictures_are_refused(count, captions):
    with pytest.raises(InputError, match=f"got {len(captions)} for {count} pictures"):
        image_grids.grid(pictures(count), captions, columns=2)


def test_a_picture_as_a_file_is_the_picture():
    picture = np.random.default_rng(0).integers(0, 256, (5, 7, 3), dtype=np.uint8)
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(image_grids.png(picture)))), picture)


def test_many_networks_are_told_apart_by_dashes_and_have_room():
    names = [f"net{place}" for place in range(12)]
    figure = curves.training({name: [0.1, 0.2] for name in names}, ylabel="accuracy")
    (axis,) = figure.axes
    looks = {(line.get_color(), line.get_linestyle()) for line in axis.lines}
    assert len(looks) == 12
    assert figure.get_figheight() > 12 * 0.15
    assert len(axis.get_legend().get_texts()) == 12


def test_curves_by_difficulty_have_names_and_may_be_none():
    columns = ("difficulty", "accuracy", "share left", "accuracy on the left")
    frame = pd.DataFrame([(0.2, 80.0, 10.0, 12.0), (0.5, 60.0, 30.0, 9.0)], columns=columns)
    (axis,) = curves.by_difficulty(frame, words="accuracy").axes
    assert [text.get_text() for text in axis.get_legend().get_texts()] == [
        "accuracy on all candidates",
        "share left by the filter",
        "accuracy on those left",
    ]
    assert list(axis.lines[2].get_ydata()) == [12.0, 9.0]
    (axis,) = curves.by_difficulty(frame.iloc[:0], words="accuracy").axes
    assert [text.get_text() for text in axis.texts] == ["the candidates were not published"]
    assert not axis.lines
