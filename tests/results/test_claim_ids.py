"""Claims of an item have places of their own."""

from robust_lib.results.claim_ids import anchor


def test_each_claim_of_an_item_has_an_id_that_no_item_has():
    assert anchor("inc-Fig2", 3) == "inc-fig2-claim-3"
    assert len({anchor("a", 1), anchor("a", 2), "a"}) == 3
