"""One architecture's overlaps: gaps, and how far they could move with other images."""

from dataclasses import replace

import numpy as np
import pytest

from robust_lib import seeds
from robust_lib.metrics.overlap import overlap_matrix
from robust_lib.protocols.overlap import scores
from robust_lib.protocols.overlap.accuracies import from_grid
from robust_lib.protocols.overlap.scores import Convention, undefined
from robust_lib.vocabulary import OCCLUSION
from tests.protocols.overlap.toys import (
    FEW,
    NAMES,
    TRAINED,
    grid,
    numbers,
    table,
    weak,
)


def test_frames_for_figures_show_gaps():
    frame, means = scores.matrix(weak()), scores.means(weak())
    assert list(frame.index) == list(frame.columns) == list(means.index) == list(NAMES)
    assert np.isnan(frame.to_numpy()).sum() == 2 * 17 - 1
    missing = ["brightness", *OCCLUSION]
    assert means[missing].isna().all()
    assert means.drop(missing).notna().all()
    found = numbers({"resnet18": weak()})
    assert frame.loc["fog", "snow"] == found.row(metric="overlap", corruption="snow+fog").value
    assert means["fog"] == found.row(metric="mean_overlap", corruption="fog").value


def test_a_corruption_that_one_seed_leaves_without_scores_has_none():
    one = weak(seeds_of=(0.0, 0.0))  # only the first seed hardly gains
    assert undefined(one) == ("brightness",)
    found = numbers({"resnet18": one})
    assert len(found.select(metric="overlap")) == 120


def test_one_seed_gets_intervals_over_images_that_shrink_with_more():
    widths = []
    for images in (200, 3200):
        row = numbers({"net": from_grid(grid(images), "net", TRAINED)}, samples=300).row(
            metric="overlap", corruption="gaussian_noise+fog"
        )
        assert row.low < row.value < row.high
        widths.append(row.high - row.low)
    assert widths[0] / widths[1] == pytest.approx(4, rel=0.35)


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    """The images are drawn anew each time; all cells show the same ones."""
    truth, held = 0.1, 0
    one = table(names=FEW)
    for case in range(40):
        hard = seeds.generator("case", case).uniform(0, 1, 300)
        right = (hard < one.accuracy[0][..., None])[None].astype(float)
        right_clean = (hard < one.clean[0][..., None])[None].astype(float)
        drawn = replace(
            one, n=300, n_full=300, right=right, right_clean=right_clean,
            accuracy=right.mean(-1), clean=right_clean.mean(-1),
        )  # fmt: skip
        row = numbers({"net": drawn}, samples=200, seed=case).row(
            metric="overlap", corruption="gaussian_noise+fog"
        )
        held += row.low <= truth <= row.high
    assert 34 <= held <= 40


def test_a_gain_that_resamples_may_lose_has_no_interval():
    near = from_grid(grid(), "net", TRAINED)
    gain = overlap_matrix(near.accuracy, near.clean).own_gains[0]
    convention = Convention(least_gain=float(gain.min()) - 0.001)
    found = numbers({"net": near}, convention=convention, samples=200)
    ends = {row.corruption: row.low for row in found.select(metric="overlap").rows}
    assert None in ends.values()
    assert len(numbers({"net": near}, samples=200).select(metric="overlap", low=None)) == 0


def test_architectures_are_resampled_alike():
    tables = {name: from_grid(grid(), "net", TRAINED) for name in ("one", "other")}
    found = numbers(tables, samples=100)
    one, other = (
        [(row.value, row.low, row.high) for row in found.select(metric="overlap", model=m).rows]
        for m in tables
    )
    assert one == other
