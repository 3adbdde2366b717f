"""One architecture's overlaps: gaps, and how far they could move with other images."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from robust_lib import seeds
from robust_lib.protocols.overlap import scores
from robust_lib.protocols.overlap.accuracies import from_grid
from robust_lib.protocols.overlap.scores import ArchitectureOverlaps
from robust_lib.vocabulary import COMMON, OCCLUSION
from tests.protocols.overlap.toys import (
    FEW,
    NAMES,
    TRAINED,
    collapsed,
    grid,
    numbers,
    overlaps,
    table,
    unscored,
    weak,
)


def test_a_corruption_that_one_seed_leaves_without_scores_has_none():
    one = weak(seeds_of=(0.0, 0.0))  # only the first seed does not gain
    assert unscored(ArchitectureOverlaps.of("resnet18", one)) == ("brightness",)
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
            accuracy=right.mean(-1), clean=right_clean.mean(-1), dataset=f"toys {case}",
        )  # fmt: skip
        row = numbers({"net": drawn}, samples=200).row(
            metric="overlap", corruption="gaussian_noise+fog"
        )
        held += row.low <= truth <= row.high
    assert 34 <= held <= 40


def test_means_have_intervals_over_the_pairs_that_are_judged_at_the_outset():
    found = numbers({"net": from_grid(grid(), "net", TRAINED)}, samples=200)
    for row in found.select(metric=["overlap", "mean_overlap", "group_overlap"]).rows:
        assert row.low <= row.value <= row.high
        assert len(row.draws.values()) == 200
    mean = found.row(metric="group_overlap", corruption="all")
    pairs = found.select(metric="overlap", item="overlap-fig2").rows
    assert len(pairs) == 3
    np.testing.assert_allclose(
        mean.draws.values(), np.mean([row.draws.values() for row in pairs], axis=0)
    )


def test_a_resample_that_takes_a_gain_away_leaves_out_its_pairs_alone():
    one = overlaps({"net": from_grid(grid(), "net", TRAINED)})["net"]
    drawn = one.draws.copy()
    drawn[0, 2], drawn[0, :, 2] = np.nan, np.nan  # fog
    gapped = replace(one, draws=drawn)
    statistic = lambda scores: np.nanmean(scores[:, [0, 0, 1], [1, 2, 2]], axis=1)  # noqa: E731
    assert np.isfinite(gapped.drawn(statistic).values()).all()
    assert gapped.drawn_part(("fog",)).shape == (100, 1, 1)


def test_parts_are_of_the_corruptions_that_there_are():
    one = overlaps({"net": table(names=("fog", "snow", "border"))})["net"]
    assert one.places(COMMON) == [1, 0]
    assert one.part(COMMON).shape == (1, 2, 2)
    assert one.pairs(COMMON).tolist() == [[False, True], [True, False]]
    assert one.drawn_part(COMMON) is None  # only accuracies are known
    assert len(NAMES) == 17


def test_architectures_are_resampled_alike():
    tables = {name: from_grid(grid(), "net", TRAINED) for name in ("one", "other")}
    found = numbers(tables, samples=100)
    one, other = (
        [(row.value, row.low, row.high) for row in found.select(metric="overlap", model=m).rows]
        for m in tables
    )
    assert one == other


def test_frames_for_figures_show_gaps():
    one = ArchitectureOverlaps.of("resnet18", weak())
    frame, means = scores.matrix(one), scores.means(one)
    assert list(frame.index) == list(frame.columns) == list(means.index) == list(NAMES)
    assert np.isnan(frame.to_numpy()).sum() == 2 * 17 - 1
    missing = ["brightness", *OCCLUSION]
    assert means[missing].isna().all()
    assert means.drop(missing).notna().all()
    found = numbers({"resnet18": weak()})
    assert frame.loc["fog", "snow"] == found.row(metric="overlap", corruption="snow+fog").value
    assert means["fog"] == found.row(metric="mean_overlap", corruption="fog").value


def test_each_gap_has_its_reason_and_no_other_cell_has_one():
    for found, name, reason in (
        (weak(), "brightness", "no gain"),
        (collapsed(), "fog", "not converged"),
    ):
        one = ArchitectureOverlaps.of("resnet18", found)
        why, frame = scores.reasons(one), scores.matrix(one)
        assert set(why.loc[name]) == set(why[name]) == {reason}
        assert ((why != "") == frame.isna()).all().all()
        assert (why != "").to_numpy().sum() == 2 * 17 - 1


def test_only_pairs_within_some_places_are_among_them():
    pairs = ~np.eye(4, dtype=bool)
    assert scores.among(pairs, [1, 3]).sum() == 2
    assert scores.among(pairs, []).sum() == 0


def test_a_complete_matrix_loses_the_corruptions_with_most_gaps_first():
    names = list("abcd")
    frame = pd.DataFrame(np.ones((4, 4)), names, names)
    assert list(scores.complete(frame).index) == names
    for one, other in ("ab", "ac", "ad"):
        frame.loc[one, other] = frame.loc[other, one] = np.nan
    assert list(scores.complete(frame).index) == list("bcd")
    frame.loc["d"] = frame["d"] = np.nan  # d has no overlap at all
    assert list(scores.complete(frame).index) == list("bc")
    assert scores.complete(frame * np.nan).empty
