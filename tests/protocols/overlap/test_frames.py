"""Frames for figures: what is not judged is missing there, and says why."""

import numpy as np
import pandas as pd

from robust_lib.protocols.overlap import frames
from robust_lib.protocols.overlap.scores import ArchitectureOverlaps
from robust_lib.vocabulary import OCCLUSION
from tests.protocols.overlap.toys import NAMES, collapsed, numbers, weak


def test_frames_for_figures_show_gaps():
    one = ArchitectureOverlaps.of("resnet18", weak())
    frame, means = frames.matrix(one), frames.means(one)
    assert list(frame.index) == list(frame.columns) == list(means.index) == list(NAMES)
    assert np.isnan(frame.to_numpy()).sum() == 2 * 17 - 1
    missing = ["brightness", *OCCLUSION]
    assert means[missing].isna().all()
    assert means.drop(missing).notna().all()
    found = numbers({"resnet18": weak()})
    assert frame.loc["fog", "snow"] == found.row(metric="overlap", corruption="snow+fog").value
    assert means["fog"] == found.row(metric="mean_overlap", corruption="fog").value


def test_each_gap_has_its_reason_and_no_other_cell_has_one():
    for table, name, reason in (
        (weak(), "brightness", "no gain"),
        (collapsed(), "fog", "not converged"),
    ):
        one = ArchitectureOverlaps.of("resnet18", table)
        why, frame = frames.reasons(one), frames.matrix(one)
        assert set(why.loc[name]) == set(why[name]) == {reason}
        assert ((why != "") == frame.isna()).all().all()
        assert (why != "").to_numpy().sum() == 2 * 17 - 1


def test_only_pairs_within_some_places_are_among_them():
    pairs = ~np.eye(4, dtype=bool)
    assert frames.among(pairs, [1, 3]).sum() == 2
    assert frames.among(pairs, []).sum() == 0


def test_a_complete_matrix_loses_the_corruptions_with_most_gaps_first():
    names = list("abcd")
    frame = pd.DataFrame(np.ones((4, 4)), names, names)
    assert list(frames.complete(frame).index) == names
    for one, other in ("ab", "ac", "ad"):
        frame.loc[one, other] = frame.loc[other, one] = np.nan
    assert list(frames.complete(frame).index) == list("bcd")
    frame.loc["d"] = frame["d"] = np.nan  # d has no overlap at all
    assert list(frames.complete(frame).index) == list("bc")
    assert frames.complete(frame * np.nan).empty
