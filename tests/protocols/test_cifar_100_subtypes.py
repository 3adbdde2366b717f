"""Errors on held-out subtypes: known counts, a slow mean, paired resamples, and every verdict."""

import numpy as np
import pytest

from robust_lib import seeds
from robust_lib.protocols import cifar_100_subtypes as protocol
from robust_lib.results.compare import compare
from robust_lib.results.estimate import paired
from tests.protocols.icons import ICONS, MANY
from tests.protocols.subtypes import NETWORK, subtypes

NAMES = {"wrn40_2": NETWORK}


def rows(**given):
    return protocol.results(*subtypes(**given), "toys", samples=200)


def errors(found, side, severity):
    return found.row(item="inc-cifar100", dataset=f"toys_{side}", metric="error", severity=severity)


def test_errors_are_counted_on_their_own_side():
    said, held = subtypes(seen_wrong=2, unseen_wrong=3)
    found = protocol.results(said, held, "toys")
    for number, mask in held.items():
        (first,) = said[number][NETWORK]
        for side, chosen in (("seen", ~mask), ("unseen", mask)):
            wrong = [not right for right, one in zip(first.correct, chosen, strict=True) if one]
            row = errors(found, side, number)
            assert (row.value, row.n) == (sum(wrong) / len(wrong), len(wrong))
            assert row.low <= row.value <= row.high


def test_the_mean_is_over_settings_and_not_over_pictures():
    found = rows(seen_wrong=2, unseen_wrong=3)
    for side in protocol.SIDES:
        each = [errors(found, side, number).value for number in (1, 2)]
        assert errors(found, side, None).value == pytest.approx(sum(each) / 2)
        assert errors(found, side, None).n == 20  # of 30, those on this side in some setting


def test_resamples_of_the_mean_are_those_of_a_slow_loop(monkeypatch):
    """All pictures of a subtype are drawn together; the spread is widened for few of them apart."""
    monkeypatch.setattr(protocol, "of_few", lambda draws, value, clusters: draws)
    said, held = subtypes(seen_wrong=2, unseen_wrong=3)
    draws = errors(protocol.results(said, held, "toys", samples=40), "unseen", None).draws.values()
    motifs = [f"{icon.label} {icon.motif}" for icon in ICONS.icons]
    known = sorted(set(motifs))
    rng = seeds.generator("resampled clusters", "toys", *range(len(known)))
    times = rng.multinomial(len(known), np.full(len(known), 1 / len(known)), size=40)
    for drawn, often in zip(draws, times, strict=True):
        picked = [
            place
            for name, number in zip(known, often, strict=True)
            for place in np.flatnonzero(np.array(motifs) == name).tolist() * number
        ]
        means = []
        for number, mask in held.items():
            wrong = ~said[number][NETWORK][0].correct
            of_side = [place for place in picked if mask[place]]
            if of_side:
                means.append(np.mean([wrong[place] for place in of_side]))
        expected = np.mean(means) if means else np.nan
        assert drawn == pytest.approx(expected, abs=1e-5, nan_ok=True)


def test_both_means_are_of_the_same_resamples():
    found = rows(seen_wrong=1, unseen_wrong=3)
    gap = paired(*(errors(found, side, None).draws for side in ("unseen", "seen")))
    assert gap is not None
    assert len(gap.values()) == 200


def test_several_seeds_span_the_interval():
    row = errors(rows(seen_wrong=2, unseen_wrong=4, seeds=2), "unseen", None)
    assert (row.low, row.value, row.high) == (0.0, 0.5, 1.0)


def judged(**given):
    found = rows(**given, icons=MANY)
    verdicts = compare(found, "inc-cifar100", roles=NAMES, datasets=protocol.stand_ins("toys"))
    (claim,) = [one for one in verdicts if " > " in one.metric]
    return claim.verdict


@pytest.mark.parametrize(
    ("seen_wrong", "unseen_wrong", "word"),
    [
        (0, 4, "holds"),
        (2, 0, "does not hold"),
        (2, 1, "not decided"),
        (8, 4, "premise fails"),
    ],
)
def test_the_claim_can_hold_fail_and_stay_open(seen_wrong, unseen_wrong, word):
    assert judged(seen_wrong=seen_wrong, unseen_wrong=unseen_wrong) == word


def test_facts_are_of_the_pictures():
    facts = protocol.facts(ICONS, [1, 2])
    assert {row.dataset for row in facts.rows} == {"icons50_open_unseen"}
    assert facts.row(metric="classes").value == 2
    assert facts.row(metric="subtypes_per_class").value == 3


def test_the_papers_own_data_stands_for_itself():
    assert protocol.stand_ins("cifar100_test") == {
        "cifar100_seen": "cifar100_seen",
        "cifar100_unseen": "cifar100_unseen",
    }
