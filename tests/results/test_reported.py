"""Reading what the papers print."""

import shutil

import numpy as np
import pytest

from robust_lib import paths
from robust_lib.config.papers import paper_keys
from robust_lib.errors import DataError, InputError, ManifestError, ResultError, RobustLibError
from robust_lib.results.reported import (
    Reported,
    alexnet_errors,
    ledger,
    number,
    printed,
    reference,
    reported,
    reported_frame,
)


def test_a_paper_and_an_item_are_read():
    assert len(reported("inc-tab1")) == 7 * 17 + 1
    assert {row.item.partition("-")[0] for row in reported("nao")} == {"nao"}


def test_percent_and_points_become_fractions():
    gain = next(r for r in reported("overlap-tab1") if r.value == "-22")
    assert gain.number == pytest.approx(-0.22)
    assert gain.tolerance == pytest.approx(0.005)


def test_printed_numbers_are_chosen_by_their_columns_and_are_percent():
    assert [row.percent for row in printed("overlap-tab1") if row.value == "-22"] == [-22]
    (mce,) = printed("inc-tab1", model="resnet50", metric="mce")
    assert mce.percent == 76.7
    assert len(printed("inc-tab1", metric=["mce", "error"])) == 14
    assert all(row.number is not None for row in printed("vid"))
    with pytest.raises(ResultError, match="a column to be one of"):
        printed("inc-tab1", network="resnet50")


def test_the_frame_holds_the_numbers_without_the_claims():
    frame = reported_frame("inc-tab1")
    assert len(frame) == 7 * 17
    assert frame.query("model == 'resnet50' and metric == 'mce'")["number"].tolist() == [
        pytest.approx(0.767)
    ]


def test_alexnets_errors_are_fractions_by_severity():
    errors = alexnet_errors()
    assert len(errors) == 20
    assert errors["gaussian_noise"].tolist() == [0.69528, 0.82542, 0.93554, 0.98138, 0.99452]
    assert errors["clean"].tolist() == [0.4348]
    assert all(np.all((error > 0) & (error < 1)) for error in errors.values())


def test_an_unknown_reference_is_refused():
    with pytest.raises(InputError, match=r"reference.*alexnet_errors"):
        reference("vgg_errors")


@pytest.fixture
def table_of(tmp_path, monkeypatch):
    """Return a function that puts one line into inc.csv of a project folder of its own."""
    folder = tmp_path / "data_manifests" / "reported"
    folder.mkdir(parents=True)
    shutil.copy(paths.manifests() / "papers.yaml", folder.parent)
    monkeypatch.setattr(paths, "manifests", lambda: tmp_path / "data_manifests")

    def write(line: str, head: str = ",".join(Reported.model_fields)):
        (folder / "inc.csv").write_text(f"{head}\n{line}\n")

    return write


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("inc-tab1,,,,,,mce,76.7,percentage,1,Table 1,printed,,", r"inc\.csv:2: column unit"),
        ("inc-tab1,,,,,,mce,76.7,percent,1,Table 1,guessed,,", "column status"),
        ("inc-tab1,,,high,,,mce,76.7,percent,1,Table 1,printed,,", "column severity"),
        ("inc-tab1,,,,,,mce,,percent,1,Table 1,printed,,", "column value"),
        (
            "inc-tab1,,,,,,mce,76.7%,percent,1,Table 1,printed,,",
            "Expected a number in the papers' format",
        ),
    ],
)
def test_a_wrong_line_is_named(table_of, line, message):
    table_of(line)
    with pytest.raises(ManifestError, match=message):
        reported("inc")


def test_other_columns_are_named(table_of):
    table_of("a,b", head="item,value")
    with pytest.raises(ManifestError, match=r"inc\.csv:1.*columns item"):
        reported("inc")


def test_a_missing_file_is_told(table_of):
    with pytest.raises(DataError, match="Expected a file at"):
        reported("inc")


def test_errors_of_this_module_are_the_librarys_own():
    assert issubclass(ManifestError, RobustLibError)


def test_words_are_no_number():
    schedule = next(row for row in reported("vid-tab4") if row.unit == "text")
    with pytest.raises(
        InputError, match=f"Expected a number in vid-tab4, but got '{schedule.value}'"
    ):
        number(schedule)


def test_an_item_with_a_claim_is_titled_by_the_question_that_its_claims_answer():
    claimed = {row.item for paper in paper_keys() for row in reported(paper) if row.is_claim}
    asked = {one.id: one.title for one in ledger() if one.id in claimed}
    assert len(asked) > 40
    assert {name: title for name, title in asked.items() if not title.endswith("?")} == {}
    assert len(set(asked.values())) == len(asked)
