"""The overlap protocol on tables whose overlaps are known: rows, gaps, and verdicts."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.metrics.overlap import mean_overlap
from robust_lib.protocols.overlap import _mean, judged
from robust_lib.protocols.overlap.agreement import ceiling
from robust_lib.protocols.overlap.convention import PAPER, Convention
from robust_lib.protocols.overlap.groups import ACROSS, BLOCKS, HALVES
from robust_lib.results.compare import compare
from robust_lib.results.reported import item
from robust_lib.results.table import Results
from robust_lib.vocabulary import COMMON
from tests.protocols.overlap.toys import (
    NAMES,
    alike,
    collapsed,
    likeness,
    numbers,
    overlaps,
    table,
    unscored,
    weak,
)
from tests.reference import overlap as reference


@pytest.fixture(scope="module")
def both():
    return numbers({"resnet18": table(), "densenet121": table(alike() ** 0.8)})


def test_every_pair_has_its_overlap(both):
    rows = both.select(metric="overlap", model="resnet18").rows
    assert len(rows) == 17 * 16 // 2
    for row in rows:
        one, other = row.corruption.split("+")
        assert row.value == pytest.approx(likeness(one, other), abs=1e-12)
        assert NAMES.index(one) < NAMES.index(other)
        known = one in COMMON and other in COMMON
        assert row.item == ("overlap-fig2" if known else "overlap-claim-cover")
        assert (row.dataset, row.n, row.n_full) == ("toys", 100, 100)
        assert (row.low, row.high) == (None, None)  # one seed, and no images
        assert row.convention == f"memory; {PAPER.words}"


def test_pairs_are_named_alike_whatever_the_order_of_the_columns():
    turned = NAMES[::-1]
    found = numbers({"resnet18": table(names=turned)})
    usual = numbers()
    for row in usual.select(metric=["overlap", "mean_overlap", "group_overlap"]).rows:
        other = found.row(metric=row.metric, model=row.model, corruption=row.corruption)
        assert other.value == pytest.approx(row.value, abs=1e-12)


@pytest.mark.parametrize("diagonal", [False, True])
def test_means_are_over_the_common_corruptions_alone(diagonal):
    found = numbers(convention=Convention(diagonal=diagonal))
    expected = reference.means(alike(COMMON).tolist(), diagonal)
    shown = found.select(metric="mean_overlap", item="overlap-fig2").rows
    assert [row.corruption for row in shown] == list(COMMON)
    for row, value in zip(shown, expected, strict=True):
        assert row.value == pytest.approx(value)
        words = f"means {'with' if diagonal else 'without'} the diagonal; mean of 14 of 14 pairs"
        assert row.convention.endswith(words)
    for half, members in HALVES.items():
        row = found.row(metric="mean_overlap", corruption=half)
        assert row.item == "overlap-claim-balance"
        assert row.value == pytest.approx(np.mean([expected[COMMON.index(m)] for m in members]))


@pytest.mark.parametrize("group", BLOCKS)
def test_groups_are_means_of_their_pairs(both, group):
    pairs = [likeness(one, other) for one, other in combinations(BLOCKS[group], 2)]
    row = both.row(metric="group_overlap", model="resnet18", corruption=group)
    assert row.value == pytest.approx(np.mean(pairs))
    assert row.item == "overlap-fig2"


def test_the_largest_overlap_of_what_is_not_covered():
    scores = alike()
    at = NAMES.index("border"), NAMES.index("fog")
    scores[at] = scores[at[::-1]] = 0.25
    found = numbers({"resnet18": table(), "densenet121": table(scores)})
    by_model = {
        row.model: row for row in found.select(metric="largest_overlap", corruption="border").rows
    }
    assert by_model["resnet18"].value == 0
    assert by_model["densenet121"].value == pytest.approx(0.25)
    assert by_model[None].value == pytest.approx(0.25)
    assert by_model[None].convention.endswith("largest of the architectures")
    assert {row.item for row in by_model.values()} == {"overlap-claim-cover"}
    # Border and obstruction overlapping with one another is no matter of ImageNet-C.
    pair = NAMES.index("border"), NAMES.index("obstruction")
    scores[pair] = scores[pair[::-1]] = 0.9
    again = numbers({"densenet121": table(scores)})
    assert again.row(metric="largest_overlap", model="densenet121", corruption="border").value < 0.3


def test_what_overlaps_are_made_of_stands_there_too(both):
    found = both.row(metric="accuracy", model="resnet18+fog")
    assert found.value == pytest.approx(0.9)
    own = both.row(metric="robustness_score", model="resnet18+fog", corruption="fog")
    standard = both.row(metric="robustness_score", model="resnet18", corruption="fog")
    crossed = both.row(metric="robustness_score", model="resnet18+fog", corruption="snow")
    assert (own.value, standard.value) == (pytest.approx(0.7), pytest.approx(0.2))
    assert crossed.value == pytest.approx(0.2 + 0.5 * likeness("fog", "snow"))
    assert len(both.select(metric="robustness_score")) == 2 * 18 * 17


def test_raw_accuracies_are_an_option_and_said():
    one = table()
    uneven = replace(one, clean=one.clean * np.linspace(0.7, 1, 18))
    usual, raw = (
        numbers({"resnet18": uneven}, Convention(divide_by_clean=divide, most_apart=0.5))
        for divide in (True, False)
    )
    pair = {"metric": "overlap", "corruption": "snow+fog"}
    assert raw.row(**pair).value == pytest.approx(0.1)
    assert abs(usual.row(**pair).value - 0.1) > 0.05
    assert "raw accuracy" in raw.row(**pair).convention


@pytest.mark.parametrize("lacking", [weak("brightness"), collapsed("brightness")])
def test_a_corruption_without_scores_has_no_rows_and_means_say_of_how_many_pairs(lacking):
    found = numbers({"resnet18": lacking})
    about = found.select(metric=["overlap", "mean_overlap", "largest_overlap"])
    assert not [row for row in about.rows if "brightness" in row.corruption.split("+")]
    assert len(found.select(metric="overlap")) == 16 * 15 // 2
    kept = [name for name in COMMON if name != "brightness"]
    expected = reference.means(alike(kept).tolist(), diagonal=False)
    for name, value in zip(kept, expected, strict=True):
        row = found.row(metric="mean_overlap", corruption=name)
        assert row.value == pytest.approx(value)
        assert row.convention.endswith("; mean of 13 of 14 pairs")
    groups = {row.corruption: row for row in found.select(metric="group_overlap").rows}
    assert groups["all"].convention.endswith("mean of 91 of 105 pairs")
    assert groups["noise"].convention.endswith("mean of 3 of 3 pairs")
    assert groups["noise"].value == pytest.approx(0.9)
    half = found.row(metric="mean_overlap", corruption="set2")
    assert half.value == pytest.approx(
        np.mean([expected[kept.index(name)] for name in HALVES["set2"] if name in kept])
    )
    assert half.convention.endswith("mean of 63 of 77 pairs")


def test_a_collapsed_network_looks_robust_and_is_not_judged():
    """Dividing by what is left of the clean accuracy, its robustness is as it was."""
    found = overlaps({"resnet18": collapsed("fog")})["resnet18"]
    usual = overlaps({"resnet18": table()})["resnet18"]
    np.testing.assert_allclose(found.scores, usual.scores, atol=1e-9)
    assert unscored(found) == ("fog",)
    kept = overlaps({"resnet18": collapsed("fog")}, Convention(most_apart=0.2))["resnet18"]
    assert unscored(kept) == ()


def test_the_pairs_between_two_blocks_have_a_mean_of_their_own(both):
    """A noise block and a blur block lift the mean of textures, whatever is between them."""
    scores = alike()
    for one in ACROSS["noise_with_blur"][0]:
        for other in ACROSS["noise_with_blur"][1]:
            place = NAMES.index(one), NAMES.index(other)
            scores[place] = scores[place[::-1]] = 0.02
    found = numbers({"resnet18": table(scores)})
    groups = {row.corruption: row.value for row in found.select(metric="group_overlap").rows}
    assert groups["noise_with_blur"] == pytest.approx(0.02)
    assert groups["texture"] > groups["all"] > groups["noise_with_blur"]
    (word,) = (v for k, v in verdicts(found, "overlap-fig2").items() if "noise_with_blur" in k)
    assert word == "does not hold"
    across = both.row(metric="group_overlap", model="resnet18", corruption="noise_with_blur")
    assert across.value == pytest.approx(0.35)
    assert across.convention.endswith("mean of 15 of 15 pairs")


def test_few_corruptions_make_a_small_table():
    few = ("gaussian_noise", "shot_noise", "fog")
    found = numbers({"resnet18": table(names=few)})
    assert len(found.select(metric="overlap")) == 3
    groups = {row.corruption: row for row in found.select(metric="group_overlap").rows}
    assert groups.keys() == {"noise", "texture", "all"}
    assert groups["noise"].convention.endswith("mean of 1 of 3 pairs")
    assert len(found.select(metric="largest_overlap")) == 0


def test_seeds_give_means_and_ends():
    shifts = (0.0, 0.03, 0.06)
    found = numbers({"resnet18": table(seeds_of=shifts)})
    row = found.row(metric="overlap", corruption="gaussian_noise+shot_noise")
    assert (row.value, row.low, row.high) == (
        pytest.approx(0.93), pytest.approx(0.9), pytest.approx(0.96),
    )  # fmt: skip
    means = [
        mean_overlap(alike(COMMON) + shift * (1 - np.eye(15)), diagonal=False) for shift in shifts
    ]
    row = found.row(metric="mean_overlap", corruption="fog")
    place = COMMON.index("fog")
    assert row.value == pytest.approx(np.mean([mean[place] for mean in means]))
    assert (row.low, row.high) == (pytest.approx(means[0][place]), pytest.approx(means[2][place]))
    largest = found.row(metric="largest_overlap", model="resnet18", corruption="border")
    assert (largest.low, largest.high) == (0, pytest.approx(0.06))


MORE_ON_SET1 = "mean_overlap[@overlap, corruption=set1] > mean_overlap[@overlap, corruption=set2]"


def verdicts(found, name):
    return {
        verdict.metric: verdict.verdict
        for verdict in compare(found, name)
        if verdict.status == "direction"
    }


def test_the_papers_claims_hold_for_overlaps_like_the_papers(both):
    overall = "group_overlap[@overlap, corruption=all]"
    assert verdicts(both, "overlap-fig2") == {
        f"group_overlap[@overlap, corruption={group}] > {overall}": "holds"
        for group in ("noise", "noise_with_blur")
    }
    ceiled = both + Results.of([ceiling([(0.7, 0.6, 0.8)], dataset="toys")])
    assert set(verdicts(ceiled, "overlap-claim-arch").values()) == {"holds"}
    balance = verdicts(both, "overlap-claim-balance")
    assert balance[MORE_ON_SET1] == "holds"
    assert set(verdicts(both, "overlap-claim-cover").values()) == {"holds"}


def test_claims_are_about_every_architecture(both):
    (told,) = [
        verdict.arithmetic
        for verdict in compare(both, "overlap-claim-balance")
        if verdict.metric.startswith("mean_overlap")
    ]
    assert "holds for 2 of 2 networks of the paper" in told


def test_the_papers_claims_fail_for_overlaps_unlike_the_papers():
    opposite = np.where(np.eye(17) == 1, 1, 0.9 - alike())
    found = numbers({"resnet18": table(), "densenet121": table(opposite)})
    assert set(verdicts(found, "overlap-fig2").values()) == {"does not hold"}
    ceiled = found + Results.of([ceiling([(0.7, 0.6, 0.8)], dataset="toys")])
    assert set(verdicts(ceiled, "overlap-claim-arch").values()) == {"does not hold"}
    assert set(verdicts(found, "overlap-claim-cover").values()) == {"does not hold"}
    balance = verdicts(found, "overlap-claim-balance")
    assert balance[MORE_ON_SET1] == "does not hold"


def test_without_accuracies_of_a_corruption_its_claims_are_missing():
    found = numbers({"resnet18": table(names=COMMON)})
    assert set(verdicts(found, "overlap-claim-cover").values()) == {"missing"}
    assert set(verdicts(found, "overlap-claim-arch").values()) == {"missing"}


def test_a_zero_on_other_images_is_not_compared_with_the_papers(both):
    zeros = [v for v in compare(both, "overlap-claim-cover") if v.metric == "largest_overlap"]
    assert [verdict.ours for verdict in zeros] == [0, 0]
    assert {verdict.verdict for verdict in zeros} == {"not comparable"}


def test_every_row_belongs_to_an_item_of_the_chapters(both):
    for name in {row.item for row in both.rows}:
        assert item(name).notebook.startswith("overlap_")


def test_architectures_must_go_together():
    with pytest.raises(InputError, match="at least one architecture"):
        judged({})
    with pytest.raises(InputError, match="all on one data set"):
        judged({"a": table(), "b": table(dataset="others")})
    with pytest.raises(InputError, match="same number of seeds"):
        judged({"a": table(), "b": table(seeds_of=(0.0, 0.1))})
    with pytest.raises(InputError, match="Divide percentages"):
        judged({"a": replace(table(), accuracy=100 * table().accuracy)})


def test_a_half_has_an_interval_though_resamples_take_away_one_of_its_corruptions():
    scores = np.ones((4, 3, 3))
    scores[:2, 0], scores[:2, :, 0] = np.nan, np.nan
    pairs = ~np.eye(3, dtype=bool)
    found = _mean(scores * 0.5, pairs, diagonal=False, places=[0, 1])
    assert found.tolist() == [0.5] * 4
