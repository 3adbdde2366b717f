"""The table and the line of gates."""

from robust_lib.results.gates.gate import Gate, Judged
from robust_lib.results.gates.words import gate_frame, has_failed, is_judged, summary

GATE = Gate(
    model="resnet50", dataset="imagenet_a", metric="pm_accuracy", k=10, value=0.5, step=0.001,
    tolerance=0.01, pictures=1000, source="others",
)  # fmt: skip
ABSENT = Judged(GATE, None, "not run", 0.0, "no number of it")


def test_a_row_says_what_others_found_and_what_became_of_it():
    assert gate_frame([GATE.judged(0.53)]).iloc[0].tolist() == [
        "resnet50", "imagenet_a", "pm-10", 50.0, 53.0, "FAILED by 30 pictures (10 allowed)",
        "10 pictures", "others",
    ]  # fmt: skip


def test_outcomes_are_counted_in_a_line():
    found = [GATE.judged(0.5), GATE.judged(0.505), GATE.judged(0.6), ABSENT, ABSENT]
    assert summary(found) == "Gates: 1 same, 1 within, 1 FAILED, 2 not run."
    assert [is_judged(one) for one in found] == [True, True, True, False, False]
    assert has_failed(found)
    assert not has_failed([found[0], found[1], ABSENT])
