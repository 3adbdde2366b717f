"""Heat maps: the right numbers on the right colours, on one scale."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from robust_book.figures import heatmaps, style
from robust_book.html.svg import theme_svg
from robust_lib.errors import InputError
from tests.figures.drawn import CORRUPTIONS, legend, luminance, numbers, saved, shown


def matrices():
    paper = pd.DataFrame(
        [[100.0, 100, 100], [90, 120, 60]], index=["AlexNet", "VGG-11"], columns=list(CORRUPTIONS)
    ).rename_axis(index="model", columns="corruption")
    return [paper, paper.rename(index={"VGG-11": "mine"}) + 10]


def test_heat_maps_stand_side_by_side_on_the_papers_colours():
    figure = heatmaps.models_by_corruption(matrices(), ["the paper", "this run"], unit="CE (%)")
    *maps, bar = figure.axes
    assert [axis.get_title(loc="left") for axis in maps] == ["the paper", "this run"]
    assert shown(maps[0]) == ["AlexNet", "VGG-11"]
    assert shown(maps[1]) == ["AlexNet", "mine"]
    assert [t.get_text() for t in maps[0].get_yticklabels()] == ["Fog", "JPEG", "Gaussian noise"]
    meshes = [axis.collections[0] for axis in maps]
    for mesh, frame in zip(meshes, matrices(), strict=True):
        assert np.array_equal(mesh.get_array(), frame.T)
    assert meshes[0].get_clim() == meshes[1].get_clim() == (60, 140)  # as far either way of 100
    assert list(numbers(maps[0]).values()) == ["100", "90", "100", "120", "100", "60"]
    assert maps[0].get_ylim() == (3, 0)  # the first one on top
    assert {(axis.get_xlabel(), axis.get_ylabel()) for axis in maps} == {("", "")}
    assert bar.get_ylabel() == "CE (%)"
    left, right = (axis.get_position() for axis in maps)
    assert left.x1 <= right.x0
    saved(figure)


@pytest.mark.parametrize(
    ("change", "extend"), [(0, "neither"), (250, "max"), (-70, "min"), ("both", "both")]
)
def test_extremes_of_a_run_leave_the_papers_colours_as_they_are(change, extend):
    paper, run = matrices()
    run = run + change if change != "both" else run.mul([0, 9], axis=0)
    alone = heatmaps.models_by_corruption([paper], ["the paper"], unit="%")
    figure = heatmaps.models_by_corruption([paper, run], ["the paper", "this run"], unit="%")
    before, after = (one.axes[0].collections[0] for one in (alone, figure))
    assert np.array_equal(before.get_facecolor(), after.get_facecolor())
    assert after.get_clim() == (60, 140)
    assert figure.axes[-1]._colorbar.extend == extend


def test_numbers_that_say_little_are_grey_in_their_rows_only():
    figure = heatmaps.models_by_corruption(
        matrices(), ["the paper", "this run"], unit="%", unsure=((), ("jpeg_compression",))
    )
    left, right = figure.axes[:2]
    assert not left.patches
    (band,) = right.patches
    assert (band.get_xy(), band.get_width(), band.get_height()) == ((0, 1), 2, 1)
    assert band.get_hatch() is None  # it would cross the figures
    assert legend(figure) == ["divided by almost zero"]
    assert {text.get_color() for text in right.texts if text.get_position()[1] == 1.5} == {
        heatmaps.FAINT
    }
    saved(figure)


def test_a_number_below_zero_has_a_minus_and_nought_has_none():
    frame = pd.DataFrame([[-78.2, -0.3]], index=["AlexNet"], columns=["fog", "snow"])
    figure = heatmaps.models_by_corruption([frame], ["this run"], unit="%")
    assert [text.get_text() for text in figure.axes[0].texts] == ["−78", "0"]


def test_a_heat_map_without_a_centre_spans_the_first_sources_values():
    figure = heatmaps.models_by_corruption(matrices(), ["a", "b"], unit="%", centre=None)
    assert figure.axes[0].collections[0].get_clim() == (60, 120)


def test_what_is_missing_in_a_heat_map_stays_empty():
    one = matrices()[0].astype(float)
    one.iloc[1, 2] = np.nan
    figure = heatmaps.models_by_corruption([one], ["this run"], unit="%")
    axis = figure.axes[0]
    assert numbers(axis).keys() == {(0, 0), (1, 0), (2, 0), (0, 1), (1, 1)}
    assert axis.collections[0].get_clim() == (80, 120)
    assert axis.collections[0].to_rgba(axis.collections[0].get_array())[2, 1, 3] == 0
    saved(figure)


def test_a_heat_map_of_the_baseline_alone_has_the_middle_colour():
    figure = heatmaps.models_by_corruption([matrices()[0].iloc[:1]], ["this run"], unit="%")
    (mesh,) = figure.axes[0].collections
    assert mesh.get_clim() == (99, 101)
    assert {tuple(colour) for colour in mesh.get_facecolor()} == {mesh.get_cmap()(0.5)}
    saved(figure)


@pytest.mark.parametrize("colours", ["RdBu_r", "cividis"])
def test_numbers_can_be_read_on_their_colours_in_light_and_dark(colours):
    frame = pd.DataFrame(np.linspace(0, 1, 25).reshape(5, 5))
    figure = Figure()
    axis = figure.subplots()
    mesh = heatmaps.cells(axis, frame, "{:.2f}".format, colours, (0.0, 1.0), size=7.0)

    for text, colour in zip(axis.texts, mesh.get_facecolor(), strict=True):
        ground, shown = luminance(colour), luminance(text.get_color())
        high, low = max(ground, shown), min(ground, shown)
        assert (high + 0.05) / (low + 0.05) > 3.5  # as for large text and more
    # Neither black nor the ink, which the page would turn around.
    assert {text.get_color() for text in axis.texts} == {"#ffffff", "#101014"}
    assert "#101014" in str(theme_svg(style.svg(figure), prefix="x", title="t"))


def test_cells_touch_on_a_screen():
    """Without an edge of its own colour, the ground shines through between two cells."""
    figure = heatmaps.models_by_corruption([matrices()[0]], ["this run"], unit="%")
    (mesh,) = figure.axes[0].collections
    saved(figure)
    assert np.array_equal(mesh.get_edgecolor(), mesh.get_facecolor())
    assert mesh.get_linewidth()[0] > 0


def test_heat_maps_of_different_corruptions_are_refused():
    one, other = matrices()
    with pytest.raises(InputError, match="same corruptions in the same order"):
        heatmaps.models_by_corruption([one, other[other.columns[::-1]]], ["a", "b"], unit="%")


def test_settings_stand_beside_the_networks_without_them():
    frame = pd.DataFrame([[95.0, np.nan], [97.0, 93.0]], index=["a", "b"], columns=["c", "d"])
    figure = heatmaps.tuned(
        frame, {"standard": 90.0, "tuned": 94.0}, xlabel="noise", ylabel="weight", unit="mCE (%)",
        centre=90.0,
    )  # fmt: skip
    left, right, bar = figure.axes
    assert [text.get_text() for text in left.texts] == ["95.0", "97.0", "93.0"]
    assert [text.get_text() for text in right.texts] == ["90.0", "94.0"]
    assert (left.get_xlabel(), left.get_ylabel(), bar.get_ylabel()) == (
        "noise", "weight", "mCE (%)",
    )  # fmt: skip
    assert [tick.get_text() for tick in right.get_yticklabels()] == ["standard", "tuned"]
    assert left.collections[0].get_clim() == right.collections[0].get_clim() == (83.0, 97.0)


def test_no_setting_and_no_network_is_refused():
    with pytest.raises(InputError, match="at least one number"):
        heatmaps.tuned(pd.DataFrame(), {}, xlabel="x", ylabel="y", unit="mCE (%)")
