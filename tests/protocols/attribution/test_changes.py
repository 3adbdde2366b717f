"""Changes of probability: by hand, with signs and without, lost objects, intervals."""

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.protocols.attribution.changes import (
    ABSOLUTE,
    LOST_SHARE,
    SIGNED,
    Settings,
    by_version,
    changes,
    rows,
)
from robust_lib.results.claims import parse
from robust_lib.results.judgement import judge
from robust_lib.results.lookup import Lookup
from robust_lib.results.table import Results
from tests.protocols.attribution import toys
from tests.toys import unchecked

ITEM = "nao-fig6"
BEFORE = [0.8, 0.6, 0.9]
AFTER = [[0.7, 0.9], [0.0, 0.6], [0.5, 0.9]]
LABELS = [0, 0, 1]


@pytest.fixture
def found():
    return toys.changes(BEFORE, AFTER, LABELS)


def value(made, metric, dataset="toys"):
    return Results.of(made).row(metric=metric, dataset=dataset).value


def test_means_over_classes_of_means_over_objects_of_means_over_versions(found):
    made = rows(ITEM, "mine", found, {})
    cat, dog = (0.1 + 0.1 + 0.6 + 0.0) / 4, (0.4 + 0.0) / 2
    assert value(made, ABSOLUTE, "toys/cat") == pytest.approx(cat)
    assert value(made, ABSOLUTE, "toys/dog") == pytest.approx(dog)
    assert value(made, ABSOLUTE) == pytest.approx((cat + dog) / 2)
    signed = ((-0.1 + 0.1 - 0.6 + 0.0) / 4 + (-0.4 + 0.0) / 2) / 2
    assert value(made, SIGNED) == pytest.approx(signed)
    assert value(made, LOST_SHARE) == pytest.approx((1 / 4 + 0) / 2)
    assert {row.n for row in made if row.dataset == "toys/cat"} == {2}


def test_lost_objects_may_be_left_out():
    left = toys.changes(BEFORE, AFTER, LABELS, lost="left out")
    made = rows(ITEM, "mine", left, {})
    assert value(made, ABSOLUTE, "toys/cat") == pytest.approx(((0.1 + 0.1) / 2 + 0.0) / 2)
    assert value(made, LOST_SHARE) == pytest.approx((1 / 4 + 0) / 2)  # they are lost all the same
    gone = toys.changes([0.8, 0.6], [[0.0], [0.5]], [0, 1], lost="left out")
    assert "toys/cat" not in {row.dataset for row in rows(ITEM, "mine", gone, {})}
    assert value(rows(ITEM, "mine", gone, {}), ABSOLUTE) == pytest.approx(0.1)


def test_versions_apart(found):
    made = by_version(ITEM, "mine", found, "grounds")
    assert value(made, ABSOLUTE, "toys/grounds/a") == pytest.approx(((0.1 + 0.6) / 2 + 0.4) / 2)
    assert value(made, ABSOLUTE, "toys/grounds/b") == pytest.approx(((0.1 + 0.0) / 2 + 0.0) / 2)


def test_controls_stand_beside(found):
    made = rows(ITEM, "mine", found, {"toys/noise": toys.changes(BEFORE, [[0.0]] * 3, LABELS)})
    assert value(made, ABSOLUTE, "toys/noise") == pytest.approx((0.7 + 0.9) / 2)
    assert value(made, LOST_SHARE, "toys/noise") == 1.0


def test_intervals_hold_the_value_and_shrink_with_more_pictures():
    rng = np.random.default_rng(0)
    widths = []
    for many in (20, 320):
        after = rng.uniform(0.2, 0.9, (many, 3))
        some = toys.changes([0.9] * many, after, [at % 2 for at in range(many)])
        row = Results.of(rows(ITEM, "mine", some, {})).row(metric=ABSOLUTE, dataset="toys")
        assert row.low <= row.value <= row.high
        widths.append(row.high - row.low)
    assert 2.5 < widths[0] / widths[1] < 6.5  # one in the root of sixteen


@pytest.mark.parametrize("fifth", [0.5, 0.5 - 1e-6])
def test_an_object_at_the_threshold_decides_no_claim(fifth):
    """The score of the fifth dog differs in its last digits, as between two processors.

    With five, dogs count, and the swaps would change clearly more than half as much as the noise.
    """
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], [60, 5])
    before = np.array([0.9] * 64 + [fifth])
    after = np.concatenate([rng.uniform(0.0, 0.9, 60), rng.uniform(0.1, 0.15, 5)])
    kept = before >= 0.5
    swaps, noise = (
        toys.changes(before[kept], some[kept, None], labels[kept]) for some in (after, 0 * after)
    )
    ours = Results.of(rows("nao-fig8", "mine", swaps, {"toys/noise": noise}))
    claim = parse(
        "probability_change[mine, dataset=toys/noise] - probability_change[mine, dataset=toys] "
        "> probability_change[mine, dataset=toys]"
    )
    assert judge(claim, Lookup(results=ours, item="nao-fig8")).word == "not decided"


def test_changes_are_matched_by_class_place_and_version():
    found = toys.found_boxes([(0, 1, 0.75), (3, 0, 0.5)])
    again = toys.found_boxes([(0, 1, 0.5), (1, 0, 0.9), (2, 0, 0.25), (3, 1, 0.9)])
    made = changes(
        found.detections,
        again,
        ["sky", "sea"],
        dataset="toys",
        classes=toys.CLASSES,
        settings=Settings(score=0.5),
    )
    assert made.after.tolist() == [[0.5, 0.0], [0.25, 0.0]]
    assert made.lost.tolist() == [[False, True], [False, True]]


def test_boxes_in_other_pictures_are_refused():
    found, again = toys.found_boxes([(0, 1, 0.75)]), toys.found_boxes([(0, 1, 0.5)])
    with pytest.raises(InputError, match=r"2 changed images.*1 predictions.*1"):
        changes(
            found.detections,
            again,
            ["sky", "sea"],
            dataset="toys",
            classes=toys.CLASSES,
            settings=Settings(score=0.5),
        )


def test_nothing_to_study_has_no_rows():
    nothing = toys.changes([], [])
    assert rows(ITEM, "mine", nothing, {}) == []
    assert by_version(ITEM, "mine", nothing, "grounds") == []


def test_an_unknown_reading_is_refused():
    with unchecked(), pytest.raises(InputError, match="lost to be one of zero, left out"):
        Settings(score=0.5, lost="ignored")


def test_words_name_what_the_paper_leaves_open():
    words = Settings(score=0.4, iou=0.3, lost="left out").words
    for told in ("from 0.4", "IoU 0.3", "left out"):
        assert told in words
