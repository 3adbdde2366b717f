"""Agreement of architectures: rank correlations, and the test by permutations."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from robust_lib import seeds
from robust_lib.metrics.mantel import mantel, rank_correlation
from robust_lib.metrics.overlap import overlap_matrix
from robust_lib.protocols.overlap.agreement import CEILING, ceiling, common, judged_in_both
from robust_lib.protocols.overlap.convention import Convention
from robust_lib.results.compare import compare
from robust_lib.results.table import Results
from robust_lib.vocabulary import COMMON, OCCLUSION
from tests.protocols.overlap import toys
from tests.protocols.overlap.toys import noisy, numbers, overlaps, table, weak


def test_agreement_is_the_rank_correlation_of_the_common_corruptions():
    scores = noisy("a", 0.1), noisy("b", 0.1)
    one, other = (table(each) for each in scores)
    found = numbers({"resnet18": one, "densenet121": other}, permutations=499)
    inner = [each[:15, :15] for each in scores]
    row = found.row(metric="rank_correlation")
    assert (row.model, row.corruption, row.item) == (None, None, "overlap-claim-arch")
    assert row.value == pytest.approx(rank_correlation(*inner))
    assert "between resnet18 and densenet121, 105 of 105 pairs" in row.convention
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
    bound = Results.of([ceiling([(0.9, 0.85, 0.95)], dataset="toys")])
    (verdict,) = compare(found + bound, "overlap-claim-arch")
    assert verdict.verdict == "does not hold"


def test_agreement_is_over_what_both_define():
    tables = {"resnet18": weak("fog"), "densenet121": toys.collapsed("snow")}
    found = numbers(tables)
    row = found.row(metric="rank_correlation")
    assert row.value == pytest.approx(1)
    assert row.convention.endswith("78 of 105 pairs")  # of thirteen corruptions
    one, other = overlaps(tables).values()
    assert common(one, other) == list(COMMON)
    assert judged_in_both(one, other).sum() == 2 * 78
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
        pair: rank_correlation(*(overlaps(tables)[name].scores[0, :15, :15] for name in pair))
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
    found = numbers(tables, Convention(widest=9.0))
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


def test_the_ceiling_is_what_seeds_of_each_architecture_agree_by():
    found = numbers({"resnet18": seeded("a"), "densenet121": seeded("b")})
    own = found.select(metric="rank_correlation", model=["resnet18", "densenet121"]).rows
    row = found.row(metric=CEILING)
    assert (row.model, row.item, row.n) == (None, "overlap-claim-arch", 2)
    assert row.value == pytest.approx(np.mean([one.value for one in own]))
    assert (row.low, row.high) == (min(one.low for one in own), max(one.high for one in own))
    assert row.draws is None
    assert all(one.draws is None for one in own)  # pairs of seeds are paired with nothing
    assert len(numbers({"resnet18": table()}).select(metric=CEILING)) == 0


@pytest.mark.parametrize(
    ("bound", "word"),
    [((0.7, 0.6, 0.8), "holds"), (None, "missing")],
)
def test_the_claim_is_judged_against_what_seeds_allow(bound, word):
    found = numbers({"resnet18": table(noisy("a", 0.02)), "densenet121": table(noisy("b", 0.02))})
    rows = [] if bound is None else [ceiling([bound], dataset="toys")]
    (verdict,) = compare(found + Results.of(rows), "overlap-claim-arch")
    assert verdict.verdict == word


def test_agreement_of_one_seed_has_an_interval_over_images():
    one = toys.grid(images=400)
    tables = {name: toys.from_grid(one, "net", toys.TRAINED) for name in ("one", "other")}
    found = numbers(tables, samples=50)
    row = found.row(metric="rank_correlation", model=None)
    assert row.value == pytest.approx(1)
    assert row.low is not None
    assert len(row.draws.values()) == 50
