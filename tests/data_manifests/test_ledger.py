"""The ledger: all items of the five papers, in order, each with a chapter and its numbers."""

from collections import Counter

import pytest

from robust_lib.config.papers import paper_keys
from robust_lib.config.strict_yaml import parse_record
from robust_lib.errors import InputError, ManifestError
from robust_lib.results.reported import LedgerItem, datasets, item, ledger, reported

_IDS = """
inc-fig1 inc-tab1 inc-fig2 inc-tab2 inc-alexnet inc-claim-stability inc-claim-denoise
inc-claim-small inc-claim-clahe inc-fig3 inc-fig4 inc-fig5 inc-icons-style inc-icons-version
inc-icons-subtype inc-fig6 inc-fig7 inc-claim-tencrop inc-cifar100 inc-fig8 inc-claim-style
inc-appf overlap-fig1 overlap-fig2 overlap-claim-arch overlap-tab1 overlap-claim-balance
overlap-claim-cover nae-tab1 nae-fig1 nae-fig5 nae-fig6 nae-funnel nae-fig2 nae-fig3 nae-fig4
nae-fig7 nae-fig8 nae-fig9 nae-fig10 nae-fig11 nae-fig12 nae-fig13 nae-fig14 nae-fig15 nae-appa
nae-appb vid-fig1 vid-fig2 vid-dataset vid-tab1 vid-fig3 vid-fig4 vid-fig5 vid-tab2 vid-fig6
vid-tab3 vid-tab4 vid-tab5 nao-tab1 nao-fig1 nao-fig2 nao-funnel nao-fig3 nao-tab2 nao-fig4
nao-fig5 nao-fig6 nao-fig7 nao-fig8
"""
IDS = _IDS.split()

_CHAPTERS = """
inc_1_corruptions inc_2_mce inc_3_enhancements inc_4_icons50 inc_5_auxiliary overlap_1_matrix
overlap_2_balance_and_cover nae_1_construction nae_2_imagenet_a nae_3_imagenet_o nae_4_calibration
vid_1_dataset vid_2_classification vid_3_detection nao_1_construction nao_2_map nao_3_blind_spots
nao_4_attribution
"""
CHAPTERS = _CHAPTERS.split()
FIVE = [entry for entry in ledger() if entry.paper in ("inc", "overlap", "nae", "vid", "nao")]


def test_the_ledger_has_all_seventy_items_of_the_five_papers_in_their_order():
    assert [entry.id for entry in FIVE] == IDS
    assert len(set(IDS)) == 70
    assert Counter(entry.paper for entry in FIVE) == {
        "inc": 22,
        "overlap": 6,
        "nae": 19,
        "vid": 12,
        "nao": 11,
    }


def test_each_chapter_of_the_papers_has_items_and_no_item_has_another_chapter():
    assert {entry.notebook for entry in FIVE} == set(CHAPTERS)


def test_items_stand_in_the_order_of_the_papers_and_each_paper_has_some():
    papers = [entry.paper for entry in ledger()]
    assert tuple(dict.fromkeys(papers)) == paper_keys()
    assert papers == sorted(papers, key=paper_keys().index)


def test_an_id_begins_with_its_paper_and_a_chapter_with_the_same():
    for entry in ledger():
        assert entry.id.startswith(f"{entry.paper}-")
        assert entry.notebook.startswith(f"{entry.paper}_")


def test_the_kind_agrees_with_the_id():
    kinds = {"-fig": "figure", "-app": "list", "-claim": "claim"}
    for entry in ledger():
        for part, kind in kinds.items():
            assert part not in entry.id or entry.kind == kind, entry.id
    assert {entry.kind for entry in ledger()} == {"figure", "table", "claim", "list"}


def test_titles_and_sentences_are_unique_and_written_as_such():
    titles = [entry.title for entry in ledger()]
    sentences = [entry.shows for entry in ledger()]
    assert len(set(titles)) == len(set(sentences)) == len(ledger())
    assert all(len(title) <= 60 and not title.endswith(".") for title in titles)
    assert all(sentence.endswith(".") and len(sentence) <= 130 for sentence in sentences)


def test_an_item_has_numbers_exactly_if_some_are_transcribed():
    with_numbers = {
        row.item for paper in paper_keys() for row in reported(paper) if row.status != "direction"
    }
    assert {entry.id for entry in ledger() if entry.numbers} == with_numbers


def test_an_item_is_found_by_its_id():
    assert item("inc-tab1").notebook == "inc_2_mce"


def test_an_unknown_id_is_refused_with_near_ones():
    with pytest.raises(InputError, match=r"such as inc-tab2, inc-tab1.*but got 'inc-tab22'"):
        item("inc-tab22")


def test_a_wrong_kind_is_refused_with_its_line(tmp_path):
    path = tmp_path / "ledger.yaml"
    path.write_text("- id: inc-tab1\n  paper: inc\n  kind: tables\n")
    with pytest.raises(ManifestError, match=r"ledger\.yaml:3: key 'kind'"):
        parse_record({"id": "inc-tab1", "paper": "inc", "kind": "tables"}, LedgerItem, path, 0)


def test_each_data_set_of_the_papers_is_described():
    rows = (row for paper in paper_keys() for row in reported(paper))
    named = {row.dataset.partition("/")[0] for row in rows if row.dataset}
    assert named <= set(datasets())
    assert all(datasets().values())
