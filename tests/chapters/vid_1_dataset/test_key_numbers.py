"""The numbers of the prose: counted, or words where nobody knows."""

from robust_book.chapters.vid_1_dataset import falls
from robust_book.chapters.vid_1_dataset.key_numbers import key_numbers
from robust_lib.miniworld.similarity import Similarity
from robust_lib.protocols.pm_k.counts import counts
from tests.chapters.vid_1_dataset.toys import REVIEW, watched


def numbers(wrong, reviewed, rule):
    seen = watched(wrong, sets=10)
    found = falls.falls(seen)
    rows = falls.results(seen, found, "toys", "mine") + counts(seen.sets, "toys")
    return key_numbers(rows, found, "mine", reviewed, rule)


def test_of_a_review_that_is_known_all_is_counted():
    found = numbers({1: -4}, REVIEW.counts, Similarity())
    texts = {key: one.text for key, one in found.items()}
    assert texts["pairs"] == "20"
    assert (texts["kept"], texts["dropped"], texts["kept_share"]) == ("18", "2", "90 %")
    assert (texts["faulty"], texts["missed"], texts["harsh"]) == ("2", "1", "1")
    assert (texts["overlap"], texts["blur"]) == ("0.6", "0.0125")
    assert (texts["fall"], texts["largest"]) == ("10.0 %", "from 73 to 27 % at −4")


def test_of_released_sets_words_stand_instead():
    found = numbers({}, None, None)
    assert found["pairs"].text == "an unknown number of"
    assert found["kept_share"].text == "not measured"
    assert found["overlap"].text == "not written down"
    assert found["largest"].text == "nowhere"
    assert found["anchors"].value == 10
