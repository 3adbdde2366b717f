"""The papers: one list, and no record names another paper."""

import shutil

import pytest

from robust_lib import paths
from robust_lib.config.papers import Paper, paper_keys, papers
from robust_lib.config.strict_yaml import Record, parse_record
from robust_lib.errors import ManifestError


class Note(Record):
    paper: Paper


@pytest.fixture
def file(tmp_path, monkeypatch):
    folder = tmp_path / "data_manifests"
    folder.mkdir()
    copy = shutil.copy(paths.manifests() / "papers.yaml", folder)
    monkeypatch.setenv("ROBUST_ROOT", str(tmp_path))
    return folder / copy


def test_each_paper_has_a_key_and_a_name_of_its_own():
    cards = papers()
    assert tuple(card.key for card in cards) == paper_keys()
    assert cards[0].key == "inc"  # the benchmark that the others stand on
    for name in ("key", "short", "title", "cited", "sign", "name"):
        assert len({getattr(card, name) for card in cards}) == len(cards)


def test_another_list_is_another_list_of_papers(file):
    text = file.read_text("utf-8")
    assert parse_record({"paper": "nao"}, Note, file) == Note(paper="nao")
    file.write_text(text.replace("- key: nao", "- key: toy"), "utf-8")
    assert paper_keys()[-1] == "toy"
    assert parse_record({"paper": "toy"}, Note, file).paper == "toy"


def test_a_record_of_a_paper_that_is_not_listed_is_refused(file):
    with pytest.raises(ManifestError, match=r"paper to be one of inc, overlap, .* but got incc"):
        parse_record({"paper": "incc"}, Note, file)


def test_a_card_that_lacks_something_is_named_with_its_line(file):
    text = file.read_text("utf-8")
    file.write_text(text.replace("  sign: mCE\n", "", 1), "utf-8")
    with pytest.raises(ManifestError, match=r"papers\.yaml:\d+: .*sign"):
        papers()
