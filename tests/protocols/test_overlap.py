"""The overlap protocol on tables whose overlaps are known: rows, gaps, intervals, verdicts."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.metrics.mantel import mantel, rank_correlation
from robust_lib.metrics.overlap import overlap_matrix
from robust_lib.metrics.overlap_summary import mean_overlap
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols.grid import Grid
from robust_lib.protocols.overlap import scores as overlap
from robust_lib.protocols.overlap.accuracies import Accuracies, from_grid, resampled
from robust_lib.protocols.overlap.groups import BLOCKS, HALVES
from robust_lib.protocols.overlap.scores import results, undefined
from robust_lib.protocols.overlap.study import Convention
from robust_lib.results.compare import compare
from robust_lib.results.reported import item
from robust_lib.vocabulary import BLUR, COMMON, NOISE, OCCLUSION
from tests.reference import overlap as reference
from tests.toys import unchecked

NAMES = (*COMMON, *OCCLUSION)
BLURRED = (*BLUR, "pixelate")


def likeness(one, other):
    """The overlap that a pair is given: two blocks, jpeg between, and two that nothing covers."""
    if one == other:
        return 1.0
    if {one, other} & set(OCCLUSION):
        return 0.0
    for block, score in ((NOISE, 0.9), (BLURRED, 0.8)):
        if one in block and other in block:
            return score
    if one in NOISE + BLURRED + ("jpeg_compression",) and other in (
        *NOISE, *BLURRED, "jpeg_compression",
    ):  # fmt: skip
        return 0.35
    return 0.1


def alike(names=NAMES):
    return np.array([[likeness(one, other) for other in names] for one in names])


def table(scores=None, names=NAMES, *, seeds_of=(0.0,), clean=0.9, **changes):
    """Accuracies with given overlaps; a seed adds its number to all of them but the diagonal."""
    scores = alike(names) if scores is None else scores
    each = []
    for shift in seeds_of:
        moved = np.where(np.eye(len(names)) == 1, 1, scores + shift)
        each.append(np.concatenate([np.full((1, len(names)), 0.2), 0.2 + 0.5 * moved]))
    settings = {
        "dataset": "toys",
        "corruptions": tuple(names),
        "accuracy": clean * np.stack(each),
        "clean": np.full((len(seeds_of), len(names) + 1), clean),
        "n": 100,
        "n_full": 100,
        "words": "memory",
    }
    return Accuracies(**settings | changes)


def numbers(tables=None, **settings):
    given = {"resnet18": table()} if tables is None else tables
    return results(given, **{"permutations": 199} | settings)


@pytest.fixture(scope="module")
def both():
    tilted = table(alike() ** 0.8)
    return results({"resnet18": table(), "densenet121": tilted}, permutations=199)


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
        assert row.convention == "memory; accuracy over clean accuracy, own gains above 0.02"


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
        assert row.convention.endswith(f"{'with' if diagonal else 'without'} the diagonal")
    for half, members in HALVES.items():
        row = found.row(metric="mean_overlap", corruption=half)
        assert row.item == "overlap-claim-balance"
        assert row.value == pytest.approx(np.mean([expected[COMMON.index(m)] for m in members]))


def test_halves_and_blocks_are_the_papers():
    assert HALVES["set1"] == (*NOISE, *BLUR, "pixelate")
    assert [len(members) for members in HALVES.values()] == [8, 7]
    assert sorted(HALVES["set1"] + HALVES["set2"]) == sorted(COMMON)
    assert set(BLOCKS["texture"]) == {*HALVES["set1"], "jpeg_compression"}
    assert BLOCKS["all"] == COMMON


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
        numbers({"resnet18": uneven}, convention=Convention(divide_by_clean=divide))
        for divide in (True, False)
    )
    pair = {"metric": "overlap", "corruption": "snow+fog"}
    assert raw.row(**pair).value == pytest.approx(0.1)
    assert abs(usual.row(**pair).value - 0.1) > 0.05
    assert "raw accuracy" in raw.row(**pair).convention


def weak(name="brightness", gain=0.01, **settings):
    """A table in which training with a corruption gains hardly anything against it."""
    one = table(**settings)
    accuracy = one.accuracy.copy()
    place = one.corruptions.index(name)
    accuracy[0, place + 1, place] = accuracy[0, 0, place] + 0.9 * gain
    return replace(one, accuracy=accuracy)


def test_a_corruption_without_scores_has_no_rows_and_is_named_where_it_is_missing():
    found = numbers({"resnet18": weak()})
    assert undefined(weak()) == ("brightness",)
    assert undefined(table()) == ()
    about = found.select(metric=["overlap", "mean_overlap", "largest_overlap"])
    assert not [row for row in about.rows if "brightness" in row.corruption.split("+")]
    assert len(found.select(metric="overlap")) == 16 * 15 // 2
    kept = [name for name in COMMON if name != "brightness"]
    expected = reference.means(alike(kept).tolist(), diagonal=False)
    for name, value in zip(kept, expected, strict=True):
        row = found.row(metric="mean_overlap", corruption=name)
        assert row.value == pytest.approx(value)
        assert row.convention.endswith("; without brightness")
    groups = {row.corruption: row for row in found.select(metric="group_overlap").rows}
    assert "brightness" in groups["all"].convention
    assert "brightness" not in groups["noise"].convention
    assert groups["noise"].value == pytest.approx(0.9)
    half = found.row(metric="mean_overlap", corruption="set2")
    assert half.value == pytest.approx(
        np.mean([expected[kept.index(name)] for name in HALVES["set2"] if name in kept])
    )
    # It can still be asked for.
    low = Convention(least_gain=0.005)
    assert undefined(weak(), low) == ()
    assert len(numbers({"resnet18": weak()}, convention=low).select(metric="overlap")) == 136


def test_frames_for_figures_show_gaps():
    frame, means = overlap.matrix(weak()), overlap.means(weak())
    assert list(frame.index) == list(frame.columns) == list(means.index) == list(NAMES)
    assert np.isnan(frame.to_numpy()).sum() == 2 * 17 - 1
    missing = ["brightness", *OCCLUSION]
    assert means[missing].isna().all()
    assert means.drop(missing).notna().all()
    found = numbers({"resnet18": weak()})
    assert frame.loc["fog", "snow"] == found.row(metric="overlap", corruption="snow+fog").value
    assert means["fog"] == found.row(metric="mean_overlap", corruption="fog").value


def test_few_corruptions_make_a_small_table():
    few = ("gaussian_noise", "shot_noise", "fog")
    found = numbers({"resnet18": table(names=few)})
    assert len(found.select(metric="overlap")) == 3
    groups = {row.corruption: row for row in found.select(metric="group_overlap").rows}
    assert groups.keys() == {"noise", "texture", "all"}
    assert groups["noise"].convention.endswith("without impulse_noise")
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


def test_a_corruption_that_one_seed_leaves_without_scores_has_none():
    one = weak(seeds_of=(0.0, 0.0))  # only the first seed hardly gains
    assert undefined(one) == ("brightness",)
    found = numbers({"resnet18": one})
    assert len(found.select(metric="overlap")) == 120


# agreement


def noisy(key, amount):
    noise = seeds.generator("noise", key).normal(0, amount, (17, 17))
    return np.clip(alike() + np.triu(noise, 1) + np.triu(noise, 1).T, 0, None)


def test_agreement_is_the_rank_correlation_of_the_common_corruptions():
    scores = noisy("a", 0.1), noisy("b", 0.1)
    one, other = (table(each) for each in scores)
    found = numbers({"resnet18": one, "densenet121": other}, permutations=499)
    inner = [each[:15, :15] for each in scores]
    row = found.row(metric="rank_correlation")
    assert (row.model, row.corruption, row.item) == (None, None, "overlap-claim-arch")
    assert row.value == pytest.approx(rank_correlation(*inner))
    assert "between resnet18 and densenet121" in row.convention
    share = found.row(metric="share", item="overlap-claim-arch")
    assert (share.n, share.n_full) == (499, 499)
    rng = seeds.generator(0, "overlap", "mantel", "resnet18", "densenet121")
    assert share.value == mantel(*inner, rng=rng, permutations=499).p_value
    assert "499 permutations" in share.convention


def test_unrelated_architectures_do_not_agree():
    shuffled = seeds.generator("shuffled").permutation(15)
    order = np.concatenate([shuffled, [15, 16]])
    other = table(noisy("b", 0.05)[np.ix_(order, order)])
    found = numbers({"resnet18": table(noisy("a", 0.05)), "densenet121": other})
    assert found.row(metric="rank_correlation").value < 0.4
    assert found.row(metric="share", item="overlap-claim-arch").value > 0.02
    (verdict,) = compare(found, "overlap-claim-arch")
    assert verdict.verdict == "does not hold"


def test_agreement_is_over_what_both_define():
    found = numbers({"resnet18": weak("fog"), "densenet121": weak("snow")})
    kept = [name for name in COMMON if name not in ("fog", "snow")]
    assert found.row(metric="rank_correlation").value == pytest.approx(1)
    assert len(kept) == 13
    three = numbers({m: table(names=COMMON[:3] + OCCLUSION) for m in ("resnet18", "densenet121")})
    assert len(three.select(metric="rank_correlation")) == 0  # all noises overlap alike


def test_of_three_architectures_the_two_that_agree_least_count():
    tables = {
        "resnet18": table(noisy("a", 0.02)),
        "densenet121": table(noisy("b", 0.02)),
        "vgg11": table(noisy("c", 0.4)),
    }
    found = numbers(tables).row(metric="rank_correlation")
    pairs = {
        pair: rank_correlation(
            *(overlap.matrix(tables[name]).to_numpy()[:15, :15] for name in pair)
        )
        for pair in combinations(tables, 2)
    }
    worst = min(pairs, key=pairs.get)
    assert found.value == pytest.approx(pairs[worst])
    assert f"between {worst[0]} and {worst[1]}" in found.convention


def seeded(key, count=3):
    each = [table(noisy((key, seed), 0.15)).accuracy for seed in range(count)]
    return replace(table(seeds_of=(0.0,) * count), accuracy=np.concatenate(each))


def test_agreement_of_seeds_stands_beside_that_of_architectures():
    tables = {"resnet18": seeded("a"), "densenet121": seeded("b")}
    found = numbers(tables)
    inner = {
        model: overlap_matrix(one.accuracy, one.clean).scores[:, :15, :15]
        for model, one in tables.items()
    }
    own = [rank_correlation(*pair) for pair in combinations(inner["resnet18"], 2)]
    row = found.row(metric="rank_correlation", model="resnet18")
    assert (row.value, row.low, row.high) == tuple(map(pytest.approx, (
        np.mean(own), min(own), max(own),
    )))  # fmt: skip
    assert "between its seeds" in row.convention
    across = [rank_correlation(*pair) for pair in zip(*inner.values(), strict=True)]
    row = found.row(metric="rank_correlation", model=None)
    assert row.value == pytest.approx(np.mean(across))
    assert (row.low, row.high) == (pytest.approx(min(across)), pytest.approx(max(across)))


# verdicts


def verdicts(found, name):
    return {
        verdict.metric: verdict.verdict
        for verdict in compare(found, name)
        if verdict.status == "direction"
    }


def test_the_papers_claims_hold_for_overlaps_like_the_papers(both):
    assert verdicts(both, "overlap-fig2") == {
        "group_overlap[*, corruption=noise] > group_overlap[*, corruption=all]": "holds",
        "group_overlap[*, corruption=texture] > group_overlap[*, corruption=all]": "holds",
    }
    assert verdicts(both, "overlap-claim-arch") == {"rank_correlation[] > 0.5": "holds"}
    balance = verdicts(both, "overlap-claim-balance")
    assert balance["mean_overlap[*, corruption=set1] > mean_overlap[*, corruption=set2]"] == "holds"
    assert set(verdicts(both, "overlap-claim-cover").values()) == {"holds"}
    assert list(overlap.own_claims(both)) == list(overlap.OWN_CLAIMS)
    assert all(judgement.holds for judgement in overlap.own_claims(both).values())


def test_claims_are_about_every_architecture(both):
    (told,) = [
        verdict.arithmetic
        for verdict in compare(both, "overlap-claim-balance")
        if verdict.metric.startswith("mean_overlap")
    ]
    assert "holds for 2 of 2 models" in told


def test_the_papers_claims_fail_for_overlaps_unlike_the_papers():
    opposite = np.where(np.eye(17) == 1, 1, 0.9 - alike())
    found = numbers({"resnet18": table(), "densenet121": table(opposite)})
    assert set(verdicts(found, "overlap-fig2").values()) == {"does not hold"}
    assert set(verdicts(found, "overlap-claim-arch").values()) == {"does not hold"}
    assert set(verdicts(found, "overlap-claim-cover").values()) == {"does not hold"}
    balance = verdicts(found, "overlap-claim-balance")
    assert (
        balance["mean_overlap[*, corruption=set1] > mean_overlap[*, corruption=set2]"]
        == "does not hold"
    )
    assert not any(judgement.holds for judgement in overlap.own_claims(found).values())


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


# grids of predictions

IMAGES = 400
SEVERITIES = (1, 3, 5)
FEW = ("gaussian_noise", "shot_noise", "fog", "border")


def said(model, right):
    labels = np.zeros(len(right), np.int64)
    return Predictions(
        model, "toys", tuple(f"image{i}" for i in range(len(right))), labels, None,
        np.where(right, 0, 1), np.full(len(right), 0.5, np.float32),
    )  # fmt: skip


def grid(images=IMAGES, runs=1, **changes):
    """Predictions that are right as often as a table says, hard images being hard everywhere."""
    one = table(names=FEW)
    names = ["net", *(f"net_{name}" for name in FEW)]
    hard = [seeds.generator("hard", run).permutation(images) / images for run in range(runs)]
    clean = {
        name: tuple(said(name, hard[run] < one.clean[0, place]) for run in range(runs))
        for place, name in enumerate(names)
    }
    cells = {
        (name, corruption, severity): tuple(
            said(name, hard[run] < one.accuracy[0, place, column] + (3 - severity) * 0.02)
            for run in range(runs)
        )
        for place, name in enumerate(names)
        for column, corruption in enumerate(FEW)
        for severity in SEVERITIES
    }
    settings = {
        "dataset": "toys", "corrupted": "toys_c", "n_full": images, "clean": clean,
        "cells": cells, "severities": SEVERITIES, "storage": "jpeg85",
    }  # fmt: skip
    return Grid(**settings | changes)


TRAINED = {name: f"net_{name}" for name in FEW}


def test_a_grid_of_predictions_gives_the_accuracies():
    found, expected = from_grid(grid(), "net", TRAINED), table(names=FEW)
    np.testing.assert_allclose(found.accuracy, expected.accuracy, atol=0.005)
    np.testing.assert_allclose(found.clean, expected.clean, atol=0.005)
    assert (found.n, found.n_full, found.dataset) == (IMAGES, IMAGES, "toys")
    assert found.words == "jpeg85, mean of severities 1, 3, 5"
    assert found.right.shape == (1, 5, 4, IMAGES)
    assert set(np.unique(found.right.round(6))) == {0, round(1 / 3, 6), round(2 / 3, 6), 1}


def test_the_order_of_the_trained_networks_is_that_of_the_corruptions():
    turned = dict(reversed(TRAINED.items()))
    one, other = (from_grid(grid(), "net", trained) for trained in (TRAINED, turned))
    assert other.corruptions == FEW[::-1]
    columns, rows = [3, 2, 1, 0], [0, 4, 3, 2, 1]
    assert np.array_equal(other.accuracy[0], one.accuracy[0][np.ix_(rows, columns)])


def test_seeds_of_a_grid_are_kept_apart():
    found = from_grid(grid(runs=2), "net", TRAINED)
    assert found.seeds == 2
    assert resampled(found, rng=seeds.generator(0), samples=5) is None
    row = numbers({"net": found}).row(metric="overlap", corruption="gaussian_noise+shot_noise")
    each = overlap_matrix(found.accuracy, found.clean).scores[:, 0, 1]
    assert (row.low, row.high) == (each.min(), each.max())


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


def test_resamples_take_the_same_images_everywhere():
    found = from_grid(grid(), "net", TRAINED)
    accuracy, clean = resampled(found, rng=seeds.generator("same"), samples=50)
    assert (accuracy.shape, clean.shape) == ((50, 5, 4), (50, 5))
    # Networks that are right on the same images stay equal in every resample.
    same = np.flatnonzero((found.right[0, :, 0] == found.right[0, 1, 1]).all(-1))
    for network in same:
        np.testing.assert_allclose(accuracy[:, network, 0], accuracy[:, 1, 1])
    counts = clean * IMAGES
    np.testing.assert_allclose(counts, counts.round(), atol=1e-6)
    np.testing.assert_allclose(accuracy.mean(0), found.accuracy[0], atol=0.03)


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


@pytest.mark.parametrize(
    ("standard", "trained", "message"),
    [
        ("nobody", TRAINED, "an evaluated network to be one of net, net_gaussian_noise"),
        ("net", TRAINED | {"fog": "nobody"}, "got nobody"),
        ("net", TRAINED | {"snow": "net_fog"}, "an evaluated corruption .* got snow"),
    ],
)
def test_what_a_grid_lacks_is_named(standard, trained, message):
    with pytest.raises(InputError, match=message):
        from_grid(grid(), standard, trained)


def test_networks_of_several_numbers_of_seeds_are_refused():
    two, one = grid(runs=2), grid()
    mixed = replace(two, clean={**two.clean, "net": one.clean["net"]})
    with pytest.raises(InputError, match=r"as many seeds, but got .*'net': 1"):
        from_grid(mixed, "net", TRAINED)


ONE = table(names=FEW)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"corruptions": ("fog", "mist", "snow", "frost")}, "one of gaussian_noise.*got mist"),
        ({"corruptions": ("fog", "fog", "snow", "frost")}, "each once"),
        ({"corruptions": FEW[:3]}, r"shape \(seeds, 4, 3\).*got \(1, 5, 4\)"),
        ({"accuracy": ONE.accuracy[:, 1:]}, r"shape \(seeds, 5, 4\)"),
        ({"clean": ONE.clean[:, 1:]}, r"clean ones of shape \(seeds, 5\).*\(1, 4\)"),
        ({"accuracy": ONE.accuracy[:0], "clean": ONE.clean[:0]}, r"\(0, 5, 4\)"),
    ],
)
def test_tables_of_another_shape_are_refused(changes, message):
    with unchecked(), pytest.raises(InputError, match=message):
        replace(ONE, **changes)


def test_architectures_must_go_together():
    with pytest.raises(InputError, match="at least one architecture"):
        results({})
    with pytest.raises(InputError, match="all on one data set"):
        results({"a": table(), "b": table(dataset="others")})
    with pytest.raises(InputError, match="as many seeds"):
        results({"a": table(), "b": table(seeds_of=(0.0, 0.1))})
    with pytest.raises(InputError, match="Divide percentages"):
        results({"a": replace(table(), accuracy=100 * table().accuracy)})
