"""The errata: each is well-formed, and its check, if it has one, gives lines of text."""

import pytest

from robust_lib.config.papers import paper_keys
from robust_lib.errors import InputError
from robust_lib.results.errata import CHECKS, check, errata, inc, nae, nao, overlap, vid
from robust_lib.results.reported import ledger, reported


def test_each_erratum_names_a_paper_its_items_and_a_known_check():
    ids = {entry.id for entry in ledger()}
    assert len({entry.id for entry in errata()}) == len(errata())
    for entry in errata():
        assert entry.id.startswith(f"{entry.paper}-")
        assert entry.items
        assert set(entry.items) <= ids
        assert all(item.startswith(f"{entry.paper}-") for item in entry.items)
        assert entry.check is None or entry.check in CHECKS


def test_each_erratum_has_a_title_in_words():
    titles = [entry.title for entry in errata()]
    assert len(set(titles)) == len(titles)
    for title in titles:
        assert " " in title
        assert len(title) <= 75
        assert not title.endswith(".")


def test_each_check_belongs_to_one_erratum():
    assert sorted(CHECKS) == sorted(entry.check for entry in errata() if entry.check)


def test_a_check_of_more_than_the_printed_numbers_says_so(monkeypatch):
    read = []
    for module in (inc, nae, nao, overlap, vid):
        for name in {"reference", "alexnet_errors"} & set(vars(module)):
            known = getattr(module, name)
            monkeypatch.setattr(
                module, name, lambda *given, known=known: read.append(1) or known(*given)
            )
    for entry in (one for one in errata() if one.check):
        read.clear()
        check(entry.check)
        assert bool(read) == ("others measured" in entry.by or "torchvision" in entry.by), entry.id


def test_errata_stand_in_the_order_of_the_papers():
    papers = [entry.paper for entry in errata()]
    assert {"inc", "overlap", "nae", "vid", "nao"} <= set(papers)
    assert papers == sorted(papers, key=paper_keys().index)


def test_each_erratum_that_a_note_names_exists():
    named = {
        row.note.partition("see erratum ")[2].split()[0]
        for paper in paper_keys()
        for row in reported(paper)
        if "see erratum " in row.note
    }
    assert len(named) > 10
    assert named <= {entry.id for entry in errata()}


def test_each_check_gives_lines_of_text():
    for name in CHECKS:
        assert check(name)
        for line in check(name):
            assert line.what
            assert line.printed
            assert line.computed


def test_an_unknown_check_is_refused():
    with pytest.raises(InputError, match=r"check.*relative_formula"):
        check("nonsense")
