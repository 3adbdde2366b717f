"""Table 1's arithmetic: the two halves from published errors, gains from the table, ours."""

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.protocols.corruption_error.normaliser import measured as normaliser_of
from robust_lib.protocols.overlap.groups import HALVES
from robust_lib.protocols.overlap.halves import measured, published
from robust_lib.results.compare import compare
from robust_lib.results.reported import reported
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.vocabulary import COMMON
from tests import toys
from tests.toys import unchecked

NUMBERS = {(r.model, r.corruption, r.metric): r for r in reported("overlap-tab1")}


def test_overlap_tab1_halves_of_resnet50_from_the_printed_errors():
    found = published()
    assert found.row(corruption="set1").value == pytest.approx(0.805, abs=5e-5)
    assert found.row(corruption="set2").value == pytest.approx(0.727, abs=5e-4)
    printed = [v for v in compare(found, "overlap-tab1") if v.model == "resnet50"]
    shown = {v.corruption: v.verdict for v in printed if v.metric == "mean_ce"}
    assert shown == {"set1": "match", "set2": "match"}


def test_overlap_tab1_halves_of_resnet50_from_the_exact_errors():
    """80.3 does not round to the printed 81: an erratum says so."""
    found = published("exact")
    assert 100 * found.row(corruption="set1").value == pytest.approx(80.2575)
    assert 100 * found.row(corruption="set2").value == pytest.approx(72.6314, abs=1e-4)
    shown = {
        v.corruption: v.verdict
        for v in compare(found, "overlap-tab1")
        if v.model == "resnet50" and v.metric == "mean_ce"
    }
    assert shown == {"set1": "differs", "set2": "match"}


def test_both_sources_stand_in_one_table_under_their_conventions():
    both = published() + published("exact")
    assert len({row.convention for row in both.rows}) == 2
    assert {(row.n, row.n_full, row.dataset) for row in both.rows} == {
        (50_000, 50_000, "imagenet_c")
    }


def gains():
    """The gains of Table 1, computed from its own entries."""
    printed = {
        (row.model, row.corruption): row.number
        for row in reported("overlap-tab1")
        if row.metric == "mean_ce" and row.status == "printed"
    }
    return Results.of(
        Row(
            item="overlap-tab1",
            dataset="imagenet_c",
            model=model,
            corruption=half,
            metric="mean_ce_gain",
            value=value - printed["resnet50", half],
            n=50_000,
            n_full=50_000,
        )
        for (model, half), value in printed.items()
    )


def test_overlap_tab1_gains_are_differences_of_its_entries():
    found = gains()
    assert len(found) == 10
    expected = {
        "resnet50": (0, 0),
        "resnet50_sin_in": (-10, -5),
        "resnet50_augmix": (-15, -8),
        "resnet50_ant3x3": (-21, -5),
        "resnet50_deepaugment": (-22, -10),
    }
    for model, pair in expected.items():
        for half, points in zip(("set1", "set2"), pair, strict=True):
            row = found.row(model=model, corruption=half)
            assert 100 * row.value == pytest.approx(points)
            assert row.metric == "mean_ce_gain"
            assert row.value == pytest.approx(NUMBERS[model, half, "mean_ce_gain"].number)
    verdicts = [v for v in compare(found, "overlap-tab1") if v.metric == "mean_ce_gain"]
    assert [v.verdict for v in verdicts] == ["match"] * 10


def test_by_its_own_numbers_the_paper_gains_more_on_set1():
    claim, of_blurs = [
        v for v in compare(gains(), "overlap-claim-balance") if v.metric.startswith("mean_ce_gain[")
    ]
    assert claim.verdict == "holds"
    assert "holds for 4 of 4" in claim.arithmetic
    assert of_blurs.verdict == "missing"  # the table has no gains on blurs


def test_an_unknown_source_is_refused():
    with (
        unchecked(),
        pytest.raises(InputError, match="source to be one of rounded, exact, but got guessed"),
    ):
        published("guessed")


IMAGES = 100


def grid(wrong, names=COMMON, severities=(1, 2)):
    """A grid in which a network errs on `wrong[network] + place` images of corruption `place`."""

    def right(model, name, *_):
        return np.arange(IMAGES) >= (wrong[model] + COMMON.index(name) if name else 5)

    return toys.grid(right, wrong, names, severities, n_full=2 * IMAGES)


def test_halves_and_gains_of_a_run():
    seen = grid({"alex": 50, "plain": 40, "robust": 20})
    found = measured(seen, normaliser_of(seen, "alex"), "plain", samples=50)
    for half, members in HALVES.items():
        places = [COMMON.index(name) for name in members]
        means = {
            model: sum((count + at) / (50 + at) for at in places) / len(places)
            for model, count in (("plain", 40), ("robust", 20))
        }
        own = found.row(metric="mean_ce", model="plain", corruption=half)
        assert own.value == pytest.approx(means["plain"])
        assert own.low < own.value < own.high
        assert (own.dataset, own.n, own.n_full) == ("toys_c", IMAGES, 2 * IMAGES)
        assert own.convention == "memory, divided by alex, measured on the same images"
        assert own.item == "overlap-tab1"
        gain = found.row(metric="mean_ce_gain", model="robust", corruption=half)
        assert gain.value == pytest.approx(means["robust"] - means["plain"])
        assert gain.convention.endswith("difference to plain")
    assert found.row(metric="mean_ce_gain", model="plain", corruption="set1").value == 0


def test_a_half_that_lacks_a_corruption_is_not_there():
    seen = grid({"alex": 50, "plain": 40}, [name for name in COMMON if name != "pixelate"])
    found = measured(seen, normaliser_of(seen, "alex"), "plain", samples=20)
    assert {row.corruption for row in found.rows} == {"set2", "blur", "brightness"}


def test_a_run_without_the_standard_network_is_refused():
    seen = grid({"alex": 50})
    with pytest.raises(InputError, match=r"standard network.*resnet50"):
        measured(seen, normaliser_of(seen, "alex"), "resnet50")
