"""Overlap matrices: right numbers on right colours, gaps that show, neighbours side by side."""

import re

import numpy as np
import pandas as pd
import pytest

from robust_book.figures import style
from robust_book.figures.overlap_matrix import HATCHES, cluster_order, clusters, matrices
from robust_book.html.svg import theme_svg, without_stamp
from robust_book.page import badge
from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.vocabulary import COMMON, OCCLUSION, corruption_label
from tests.figures.drawn import legend, numbers, saved

NAMES = ("gaussian_noise", "shot_noise", "fog", "jpeg_compression", "border")
SCORES = np.array(
    [
        [1.0, 0.97, 0.1, 0.3, 0.0],
        [0.97, 1.0, 0.2, 0.004, 0.05],
        [0.1, 0.2, 1.0, 0.5, 0.0],
        [0.3, 0.004, 0.5, 1.0, 0.1],
        [0.0, 0.05, 0.0, 0.1, 1.0],
    ]
)


def frame(scores=SCORES, names=NAMES):
    return pd.DataFrame(scores, index=list(names), columns=list(names))


def means(names=NAMES):
    values = pd.Series([0.4, 0.45, 0.2, 0.25, np.nan, *[0.1] * 20], dtype=float)
    return values[: len(names)].set_axis(list(names))


def drawn(*frames):
    return matrices(frames, [means()] * len(frames), [f"net {i}" for i in range(len(frames))])


def ticks(labels):
    return [label.get_text() for label in labels]


def test_each_architecture_has_its_matrix_and_its_means():
    figure = drawn(frame(), frame(SCORES**2))
    *panels, bar = figure.axes
    assert len(panels) == 4
    for place, scores in ((0, SCORES), (2, SCORES**2)):
        matrix, column = panels[place : place + 2]
        assert matrix.get_title(loc="left") == f"net {place // 2}"
        assert np.array_equal(matrix.collections[0].get_array(), scores)
        values = column.collections[0].get_array()
        assert np.array_equal(values.filled(np.nan)[:4, 0], means()[:4])
        assert values.mask[:, 0].tolist() == [False] * 4 + [True]
        expected = ["Gaussian noise", "Shot noise", "Fog", "JPEG", "Border"]
        assert ticks(matrix.get_yticklabels()) == ticks(matrix.get_xticklabels()) == expected
        assert ticks(column.get_xticklabels()) == ["mean"]
        assert matrix.get_ylim() == column.get_ylim() == (5, 0)  # the first one on top
    assert {panel.collections[0].get_clim() for panel in panels} == {(0, 1)}
    assert bar.get_ylabel() == "overlap"
    saved(figure)


def test_every_cell_shows_its_number():
    left, right, _ = drawn(frame()).axes
    found = numbers(left)
    assert len(found) == 25
    assert [found[0, column] for column in range(5)] == ["1", ".97", ".10", ".30", "0"]
    assert found[1, 3] == "0"
    assert numbers(right) == {(0, 0): ".40", (1, 0): ".45", (2, 0): ".20", (3, 0): ".25",
                              (4, 0): "–"}  # fmt: skip


def test_a_pair_without_a_score_is_a_dash_on_no_colour_in_the_ink_of_the_page():
    gaps = SCORES.copy()
    gaps[2], gaps[:, 2] = np.nan, np.nan
    figure = drawn(frame(gaps))
    left = figure.axes[0]
    found = numbers(left)
    assert {place for place, text in found.items() if text == "–"} == {
        (row, column) for row in range(5) for column in range(5) if 2 in (row, column)
    }
    (mesh,) = left.collections
    assert mesh.to_rgba(mesh.get_array())[2, 0, 3] == 0
    inked = str(theme_svg(saved(figure), prefix="x", title="gaps"))
    assert inked.count(">–<") == 10  # nine pairs and a mean
    assert "fill: currentColor" in next(line for line in inked.splitlines() if ">–<" in line)


def test_a_pair_that_is_not_judged_is_hatched_by_its_reason():
    gaps = frame().astype(object)
    gaps.loc[:, :] = ""
    scores = SCORES.copy()
    for one, other, reason in ((0, 1, "too wide"), (2, 2, "no gain"), (4, 4, "not converged")):
        scores[one, other] = scores[other, one] = np.nan
        gaps.iloc[one, other] = gaps.iloc[other, one] = reason
    figure = matrices([frame(scores)], [means()], ["net"], [gaps])
    left = figure.axes[0]
    hatched = {
        (int(patch.get_y()), int(patch.get_x())): patch.get_hatch() for patch in left.patches
    }
    assert hatched == {
        (0, 1): HATCHES["too wide"][0], (1, 0): HATCHES["too wide"][0],
        (2, 2): HATCHES["no gain"][0], (4, 4): HATCHES["not converged"][0],
    }  # fmt: skip
    assert len({hatch for hatch, _ in HATCHES.values()}) == len(HATCHES)
    alphas = {patch.get_hatch(): patch.get_alpha() for patch in left.patches}
    assert alphas[HATCHES["too wide"][0]] < alphas[HATCHES["no gain"][0]]
    assert "–" not in numbers(left).values()
    assert legend(figure) == ["not converged", "no gain", "too wide"]
    saved(figure)


def test_the_legend_stays_above_the_stamp_that_pages_cut_off():
    gaps = frame().astype(object)
    gaps.loc[:, :] = "no gain"
    figure = matrices([frame(SCORES * np.nan)], [means()], ["net"], [gaps])
    badge(figure, "toys · 20 images")
    shown = without_stamp(style.svg(figure))
    height = float(re.search(r'viewBox="0 0 [\d.]+ ([\d.]+)"', shown)[1])
    (lowest,) = re.findall(r'y="([\d.]+)"[^>]*>no gain<', shown)
    assert float(lowest) + style.SMALLEST / 3 < height  # with the tails of its letters


def test_digits_are_no_smaller_than_a_page_can_show():
    assert {text.get_fontsize() for text in drawn(frame()).axes[0].texts} == {style.SMALLEST}


def test_scores_above_one_are_told_by_number_and_by_the_bar():
    above = SCORES.copy()
    above[0, 1] = above[1, 0] = 1.013
    figure = drawn(frame(above))
    assert numbers(figure.axes[0])[0, 1] == "1.01"
    assert figure.axes[-1]._colorbar.extend == "max"
    assert drawn(frame()).axes[-1]._colorbar.extend == "neither"
    saved(figure)


def test_families_are_parted_by_lines():
    left = drawn(frame()).axes[0]
    across = [line.get_ydata()[0] for line in left.lines if len(set(line.get_ydata())) == 1]
    assert across == [2, 3, 4]  # noise, weather, digital, occlusion


def test_the_papers_seventeen_fit():
    names = COMMON + OCCLUSION
    scores = seeds.generator("scores").uniform(0, 1, (17, 17))
    whole = frame((scores + scores.T) / 2, names)
    figure = matrices([whole], [whole.mean(axis=1)], ["ResNet-18"])
    assert len(ticks(figure.axes[0].get_yticklabels())) == 17
    assert len(figure.axes[0].texts) == 289
    saved(figure)


@pytest.mark.parametrize(
    ("frames", "columns", "titles", "message"),
    [
        ([], [], [], "0 matrices, 0 columns and 0 titles"),
        ([frame()], [means()], ["a", "b"], "1 matrices, 1 columns and 2 titles"),
        ([frame()], [], ["a"], "1 matrices, 0 columns"),
        ([frame(), frame()[::-1]], [means()] * 2, ["a", "b"], "Expected rows and columns gauss"),
        ([frame().iloc[:, :3]], [means()], ["a"], "but got rows gaussian_noise"),
        ([frame()], [means()[::-1]], ["a"], "Expected the means of gaussian_noise"),
    ],
)
def test_matrices_that_do_not_fit_are_refused(frames, columns, titles, message):
    with pytest.raises(InputError, match=message):
        matrices(frames, columns, titles)


def tree(figure):
    """Return the lines of a tree, each as points (height, row)."""
    return [line for one in figure.axes[0].collections for line in one.get_segments()]


BLOCKS = np.array(
    [
        [1.0, 0.1, 0.9, 0.2, 0.1],
        [0.1, 1.0, 0.0, 0.8, 0.1],
        [0.9, 0.0, 1.0, 0.1, 0.2],
        [0.2, 0.8, 0.1, 1.0, 0.1],
        [0.1, 0.1, 0.2, 0.1, 1.0],
    ]
)


def test_neighbours_stand_side_by_side():
    order = cluster_order(frame(BLOCKS, "abcde"))
    assert sorted(order) == list("abcde")
    for one, other in (("a", "c"), ("b", "d")):
        assert abs(order.index(one) - order.index(other)) == 1


def test_the_order_does_not_depend_on_the_given_one():
    whole = frame(BLOCKS, "abcde")
    turned = list("dbeac")
    orders = [cluster_order(whole), cluster_order(whole.loc[turned, turned])]
    assert orders[0] in (orders[1], orders[1][::-1])


def test_scores_above_one_are_no_distance():
    above = BLOCKS.copy()
    above[0, 2] = above[2, 0] = 1.4
    assert sorted(cluster_order(frame(above, "abcde"))) == list("abcde")
    figure = clusters(frame(above, "abcde"), "net")
    heights = [point[0] for line in tree(figure) for point in line]
    assert min(heights) == 0


def test_the_tree_stands_beside_its_leaves():
    figure = clusters(frame(BLOCKS, NAMES), "net")
    right = figure.axes[1]
    order = cluster_order(frame(BLOCKS, NAMES))
    shown = [corruption_label(name) for name in order]
    assert ticks(right.get_yticklabels()) == ticks(right.get_xticklabels()) == shown
    place = [NAMES.index(name) for name in order]
    assert np.array_equal(right.collections[0].get_array(), BLOCKS[np.ix_(place, place)])
    lines = tree(figure)
    assert len(lines) == 4
    closest = min(lines, key=lambda line: line[:, 0].max())
    assert closest[:, 0].max() == pytest.approx(0.1)  # 1 - 0.9
    rows = set(closest[:, 1])  # SciPy gives each leaf a height of 10
    assert {NAMES[place[int(row / 10)]] for row in rows} == {"gaussian_noise", "fog"}
    saved(figure)


def test_a_tree_of_things_that_are_all_the_same_can_be_drawn():
    saved(clusters(frame(np.ones((5, 5))), "net"))


@pytest.mark.parametrize(
    "wrong",
    [
        frame(np.where(np.eye(5)[::-1] == 1, np.nan, SCORES)),
        frame(np.triu(SCORES)),
        frame(np.ones((1, 1)), ["fog"]),
    ],
)
def test_a_tree_needs_every_score(wrong):
    with pytest.raises(InputError, match="Omit the corruptions without scores"):
        cluster_order(wrong)
    with pytest.raises(InputError, match="Omit"):
        clusters(wrong, "net")


def test_a_tree_needs_the_same_rows_and_columns():
    with pytest.raises(InputError, match="Expected rows and columns"):
        clusters(frame().iloc[:, ::-1], "net")
