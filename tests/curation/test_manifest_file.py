"""The file of a filtration: it reads back the same, others can read it, and damage is named."""

import csv

import numpy as np
import pandas as pd
import pytest

from robust_lib.curation import manifest_file
from robust_lib.curation.decisions import Filtration
from robust_lib.curation.filtration import adversarial_filter, anomalous_filter
from robust_lib.errors import DataError
from tests.curation.filters import RULE, filters
from tests.toys import Swatches, convolutional


@pytest.fixture(scope="module")
def told():
    return adversarial_filter(Swatches(90), filters(), **RULE)


@pytest.mark.parametrize("rule", ["imagenet-a", "imagenet-o", "reviewed"])
def test_a_file_reads_back_the_same(told, tmp_path, rule):
    one = told
    if rule == "imagenet-o":
        one = anomalous_filter(Swatches(20), convolutional(), confidence=0.6, most=3)
    if rule == "reviewed":
        one = told.reviewed(dict.fromkeys(told.shortlisted, "drop"))
    manifest_file.save(one, tmp_path / "new" / "manifest.csv")
    again = manifest_file.load(tmp_path / "new" / "manifest.csv")
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
    manifest_file.save(odd, tmp_path / "m.csv")
    assert manifest_file.load(tmp_path / "m.csv").ids == ids


def test_other_programs_read_the_table(told, tmp_path):
    manifest_file.save(told, tmp_path / "m.csv")
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
        (lambda lines: lines[1:], "line 1, its first line"),
        (lambda lines: ["# 3", *lines[1:]], "line 1, its first line"),
        (lambda lines: ["# {", *lines[1:]], "line 1, its first line"),
        (lambda lines: [lines[0].replace('"format": 1', '"format": 9'), *lines[1:]], "format 9"),
        (lambda lines: [lines[0], *lines[2:]], "line 2, its columns"),
        (lambda lines: [*lines, lines[-1]], "line 93, .*an id twice"),
        (lambda lines: [*lines[:5], lines[5] + ",1", *lines[6:]], "line 6, "),
        (lambda lines: [*lines[:5], "x,red,gone,,,,,,", *lines[6:]], "line 6, .*unknown step"),
        (lambda lines: [*lines[:5], "x,mauve,correct,,,,,,", *lines[6:]], "line 6, 'mauve'"),
        (lambda lines: [*lines[:5], "x,red,correct,,many,,,,", *lines[6:]], "line 6, .*'many'"),
        (lambda lines: [*lines[:5], "x", *lines[6:]], "line 6, "),
    ],
)
def test_a_damaged_file_is_refused_by_its_line(told, tmp_path, change, line):
    path = tmp_path / "m.csv"
    manifest_file.save(told, path)
    damaged(path, change)
    with pytest.raises(DataError, match=f"(?s){line}.*`robust filter`"):
        manifest_file.load(path)


def test_no_file_and_no_text(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        manifest_file.load(tmp_path / "m.csv")
    (tmp_path / "m.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="it is none"):
        manifest_file.load(tmp_path / "m.csv")


def test_the_table_can_be_read_by_the_csv_module(told, tmp_path):
    manifest_file.save(told, tmp_path / "m.csv")
    with (tmp_path / "m.csv").open(encoding="utf-8", newline="") as file:
        file.readline()
        assert len(list(csv.DictReader(file))) == 90
