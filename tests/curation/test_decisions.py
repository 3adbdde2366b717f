"""The result of a filtration: its funnel and the review."""

import csv
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from robust_lib.curation import decisions
from robust_lib.curation.decisions import Filtration, adversarial_steps, anomalous_steps
from robust_lib.curation.filtration import adversarial_filter, anomalous_filter
from robust_lib.errors import DataError, InputError
from tests.curation.filters import RULE, filters
from tests.toys import Swatches, convolutional, unchecked


@pytest.fixture(scope="module")
def told():
    return adversarial_filter(Swatches(90), filters(), **RULE)


def test_a_decision_says_what_each_filter_said(told):
    decisions = list(told)
    assert len(decisions) == len(told) == 90
    assert Counter(one.step for one in decisions) == Counter(told.steps)
    kept = decisions[told.places[0]]
    assert kept.id == told.shortlisted[0]
    assert [answer.filter for answer in kept.answers] == ["net10", "net11"]
    for answer in kept.answers:
        assert answer.predicted != kept.truth
        assert 0 < answer.in_truth <= 0.3
        assert answer.in_truth < answer.confidence < 1
    out = next(one for one in decisions if one.step == "correct")
    assert [answer.predicted for answer in out.answers] == [None, None]
    assert np.isnan(out.answers[0].confidence)


def test_the_funnel_counts_what_is_left_by_class_and_in_total(told):
    funnel = told.funnel()
    assert funnel.columns.tolist() == [
        "candidates", "fooled", "unconfident in truth", "shortlisted",
    ]  # fmt: skip
    assert funnel.index.tolist() == ["red", "green", "blue", "total"]
    steps = np.array(told.steps)
    for label, name in enumerate(("red", "green", "blue")):
        of = steps[told.labels == label]
        fooled = len(of) - (of == "correct").sum()
        unconfident = fooled - (of == "confident").sum()
        assert funnel.loc[name].tolist() == [
            30, fooled, unconfident, unconfident - (of == "confusion").sum(),
        ]  # fmt: skip
    assert funnel.loc["total"].tolist() == funnel.iloc[:3].sum().tolist()
    assert (np.diff(funnel.to_numpy(), axis=1) <= 0).all()


def test_a_review_takes_out_what_people_drop_or_are_unsure_of(told):
    ids = told.shortlisted
    words = dict.fromkeys(ids, "keep") | {ids[0]: "drop", ids[1]: "unsure"}
    after = told.reviewed(words)
    assert after.shortlisted == ids[2:]
    assert after.steps.count("review") == 2
    assert after.funnel().loc["total"].tolist()[-2:] == [len(ids), len(ids) - 2]
    assert told.reviewed(words, unsure="keep").shortlisted == ids[1:]
    assert told.shortlisted == ids  # the first one is as it was
    assert told.reviewed(dict.fromkeys(ids, "keep")).funnel()["reviewed"]["total"] == len(ids)


def test_a_review_is_of_all_shortlisted_and_of_nothing_else(told):
    words = dict.fromkeys(told.shortlisted, "keep")
    first = told.shortlisted[0]
    with pytest.raises(InputError, match=f"1 have none \\({first}\\) and 0 decisions"):
        told.reviewed({name: word for name, word in words.items() if name != first})
    dropped = told.ids[told.steps.index("correct")]
    with pytest.raises(InputError, match=f"1 decisions are on others \\({dropped}\\)"):
        told.reviewed(words | {dropped: "keep"})
    with (
        unchecked(),
        pytest.raises(InputError, match=f"decision on {first} to be one of keep, drop, unsure"),
    ):
        told.reviewed(words | {first: "yes"})
    with pytest.raises(InputError, match="unsure to be one of keep, drop"):
        told.reviewed(words, unsure="unsure")


def test_classes_without_a_candidate_are_named(told):
    every = told.reviewed(dict.fromkeys(told.shortlisted, "keep"))
    there = {told.class_names[told.labels[place]] for place in every.places}
    absent = [name for name in told.class_names if name not in there]
    assert absent
    with pytest.raises(DataError, match=f"{len(absent)} have none: {', '.join(absent)}. Collect"):
        every.require_every_class()
    wrong = anomalous_filter(Swatches(3), convolutional(), confidence=0.0)
    with pytest.raises(DataError, match="have none"):
        wrong.require_every_class()


def test_all_classes_have_a_candidate():
    told = adversarial_filter(Swatches(3), filters(), confidence=1.0)
    steps = ("shortlisted",) * 3
    everything = Filtration(**{**vars(told), "steps": steps, "labels": np.array([0, 1, 2])})
    everything.require_every_class()


def test_a_candidate_of_imagenet_a_falls_at_the_first_rule_that_it_breaks():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 300)
    first = np.where(rng.random(300) < 0.3, -1, rng.integers(0, 3, 300))
    predicted = np.stack([first, first], axis=1)
    shares = rng.random((300, 2)) * 0.2
    steps, kept = adversarial_steps(labels, predicted, shares, 0.15, 5), {}
    for place, step in enumerate(steps):
        pair = labels[place], first[place]
        if first[place] == -1:
            expected = "correct"
        elif shares[place].max() > 0.15:
            expected = "confident"
        elif kept.get(pair, 0) == 5:
            expected = "confusion"
        else:
            expected, kept[pair] = "shortlisted", kept.get(pair, 0) + 1
        assert step == expected
    assert set(steps) == {"correct", "confident", "confusion", "shortlisted"}


def test_without_a_most_no_pair_is_full():
    many = np.zeros(40, np.int64)
    told = np.ones((40, 1), np.int64), np.zeros((40, 1))
    assert set(adversarial_steps(many, *told, 0.15, None)) == {"shortlisted"}
    assert adversarial_steps(many, *told, 0.15, 15).count("confusion") == 25


def test_a_candidate_of_imagenet_o_must_be_taken_surely_and_seldom():
    sure = np.array([0.8, 0.79, 1.0, 0.9, 0.95])
    named = np.array([2, 2, 2, 2, 0])
    found = anomalous_steps(named, sure, 0.8, 2)
    assert found == ("shortlisted", "unconfident", "shortlisted", "repeated", "shortlisted")
    assert anomalous_steps(named, sure, 0.8, None).count("repeated") == 0


@pytest.mark.parametrize("rule", ["imagenet-a", "imagenet-o", "reviewed"])
def test_a_file_reads_back_the_same(told, tmp_path, rule):
    one = told
    if rule == "imagenet-o":
        one = anomalous_filter(Swatches(20), convolutional(), confidence=0.6, most=3)
    if rule == "reviewed":
        one = told.reviewed(dict.fromkeys(told.shortlisted, "drop"))
    decisions.save(one, tmp_path / "new" / "manifest.csv")
    again = decisions.load(tmp_path / "new" / "manifest.csv")
    for name, value in vars(one).items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(getattr(again, name), value)
            assert getattr(again, name).dtype == value.dtype
        else:
            assert getattr(again, name) == value
    pd.testing.assert_frame_equal(one.funnel(), again.funnel())
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["manifest.csv"]


def test_ids_with_commas_quotes_and_line_breaks_survive(told, tmp_path):
    ids = tuple(f'a "{n}", b\n#{n} ä' for n in range(len(told)))
    odd = Filtration(**{**vars(told), "ids": ids})
    decisions.save(odd, tmp_path / "m.csv")
    assert decisions.load(tmp_path / "m.csv").ids == ids


def test_other_programs_read_the_table(told, tmp_path):
    decisions.save(told, tmp_path / "m.csv")
    frame = pd.read_csv(tmp_path / "m.csv", skiprows=1)
    assert frame.columns.tolist() == [
        "id", "true_class", "step",
        "predicted_net10", "confidence_net10", "confidence_in_truth_net10",
        "predicted_net11", "confidence_net11", "confidence_in_truth_net11",
    ]  # fmt: skip
    assert frame["step"].tolist() == list(told.steps)
    np.testing.assert_array_equal(frame["confidence_net11"], told.confidence[:, 1])


def damaged(path, change):
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join(change(lines)) + "\n", "utf-8")


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda lines: lines[1:], "line 1, it does not"),
        (lambda lines: ["# 3", *lines[1:]], "line 1, it does not"),
        (lambda lines: ["# {", *lines[1:]], "line 1, it does not"),
        (lambda lines: [lines[0].replace('"format": 1', '"format": 9'), *lines[1:]], "format 9"),
        (lambda lines: [lines[0], *lines[2:]], "line 2, its columns"),
        (lambda lines: [*lines, lines[-1]], "line 93, .*a duplicate id"),
        (lambda lines: [*lines[:5], lines[5] + ",1", *lines[6:]], "line 6, "),
        (lambda lines: [*lines[:5], "x,red,gone,,,,,,", *lines[6:]], "line 6, .*unknown step"),
        (lambda lines: [*lines[:5], "x,mauve,correct,,,,,,", *lines[6:]], "line 6, 'mauve'"),
        (lambda lines: [*lines[:5], "x,red,correct,,many,,,,", *lines[6:]], "line 6, .*'many'"),
        (lambda lines: [*lines[:5], "x", *lines[6:]], "line 6, "),
    ],
)
def test_a_damaged_file_is_refused_by_its_line(told, tmp_path, change, line):
    path = tmp_path / "m.csv"
    decisions.save(told, path)
    damaged(path, change)
    with pytest.raises(DataError, match=f"(?s){line}.*`robust filter`"):
        decisions.load(path)


def test_no_file_and_no_text(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        decisions.load(tmp_path / "m.csv")
    (tmp_path / "m.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="it is not one"):
        decisions.load(tmp_path / "m.csv")


def test_the_table_can_be_read_by_the_csv_module(told, tmp_path):
    decisions.save(told, tmp_path / "m.csv")
    with (tmp_path / "m.csv").open(encoding="utf-8", newline="") as file:
        file.readline()
        assert len(list(csv.DictReader(file))) == 90


def test_a_message_lists_ten_names_at_most():
    ten, eleven = ([str(place) for place in range(count)] for count in (10, 11))
    assert decisions.listed(ten) == ", ".join(ten)
    assert decisions.listed(eleven) == f"{', '.join(ten)}, ..."
