"""Table 1's arithmetic: the two halves from published errors, gains from the table, ours."""

import pytest

from robust_lib.errors import InputError
from robust_lib.printed import reported
from robust_lib.protocols.overlap_groups import HALVES
from robust_lib.protocols.overlap_halves import gains, measured, published
from robust_lib.reported import compare
from robust_lib.results import Results
from robust_lib.vocabulary import COMMON
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
    (claim,) = [
        v for v in compare(gains(), "overlap-claim-balance") if v.metric.startswith("mean_ce_gain[")
    ]
    assert claim.verdict == "holds"
    assert "4 of 4 models" in claim.arithmetic


def test_an_unknown_source_is_refused():
    with (
        unchecked(),
        pytest.raises(InputError, match="source to be one of rounded, exact, but got guessed"),
    ):
        published("guessed")


def errors(value, *, model="net", names=COMMON, metric="ce"):
    return [
        {
            "item": "inc-tab1", "dataset": "toys_c", "model": model, "corruption": name,
            "metric": metric, "convention": "memory", "value": value + 0.01 * place,
            "n": 20, "n_full": 40,
        }
        for place, name in enumerate(names)
    ]  # fmt: skip


def test_halves_and_gains_of_a_run():
    run = Results.of([*errors(1.0, model="plain"), *errors(0.7, model="robust")])
    found = measured(run, "plain")
    for half, members in HALVES.items():
        mean = sum(1.0 + 0.01 * COMMON.index(name) for name in members) / len(members)
        own = found.row(metric="mean_ce", model="plain", corruption=half)
        assert own.value == pytest.approx(mean)
        assert (own.dataset, own.n, own.n_full, own.convention) == ("toys_c", 20, 40, "memory")
        assert own.item == "overlap-tab1"
        gain = found.row(metric="mean_ce_gain", model="robust", corruption=half)
        assert gain.value == pytest.approx(-0.3)
        assert gain.convention == "memory; difference to plain"
    assert found.row(metric="mean_ce_gain", model="plain", corruption="set1").value == 0


def test_a_half_that_lacks_a_corruption_is_not_there():
    some = [name for name in COMMON if name != "pixelate"]
    found = measured(Results.of(errors(1.0, names=some)), "net")
    assert {row.corruption for row in found.rows} == {"set2"}
    run = Results.of([*errors(1.0, model="plain", names=some), *errors(0.7, model="robust")])
    kept = measured(run, "plain").select(model="robust", corruption="set1").rows
    assert [row.metric for row in kept] == ["mean_ce"]  # nothing to compare it with


def test_other_corruptions_and_metrics_do_not_enter():
    run = Results.of(
        [*errors(1.0), *errors(9.0, names=["speckle_noise"]), *errors(5.0, metric="relative_ce")]
    )
    usual = measured(Results.of(errors(1.0)), "net")
    assert measured(run, "net").rows == usual.rows


def test_a_run_without_the_standard_network_is_refused():
    with pytest.raises(InputError, match="standard network to be one of net, but got resnet50"):
        measured(Results.of(errors(1.0)), "resnet50")
