"""What was planted beside what was found: precision and recall, against counts by hand."""

from collections import namedtuple
from dataclasses import replace

import numpy as np
import pytest

from robust_book.chapters.nao_3_blind_spots import planted as module
from robust_book.chapters.nao_3_blind_spots.planted import (
    FOREIGN,
    GROUNDS,
    Planted,
    key_numbers,
    kind_frame,
    planted,
    results,
    spot_frame,
)
from robust_lib.protocols.blind_spots.spots import blind_spots, space
from tests.chapters.nao_3_blind_spots import toys as own
from tests.protocols.blind_spots import toys
from tests.protocols.blind_spots.toys import PLANTED, POOL, TRAINING

Composed = namedtuple("Composed", "ground things")
Thing = namedtuple("Thing", "name foreign")


def test_what_training_hardly_shows_is_planted():
    made = own.planted()
    assert made.rare(GROUNDS) == ("underwater",)
    assert made.rare(FOREIGN) == ("shark",)
    assert made.shows_rare(GROUNDS).sum() == PLANTED
    assert made.in_training_share(GROUNDS, "studio") == 1
    assert made.in_training_share(FOREIGN, "shark") == 0


@pytest.mark.parametrize(("seen", "is_rare"), [(9, True), (11, False)])
def test_a_third_is_the_bound(seen, is_rare):
    training, pool = np.arange(100) < seen, np.arange(100) < 30
    made = Planted("pool", {GROUNDS: {"sky": training}}, {GROUNDS: {"sky": pool}})
    assert (made.rare(GROUNDS) == ("sky",)) == is_rare


def test_precision_and_recall_are_counts():
    found, made = toys.blind_spots(), own.planted()
    rows = results(found, made)

    def value(metric, part):
        return rows.row(metric=metric, dataset=f"pool/{part}").value

    assert value("recall", GROUNDS) == value("precision", GROUNDS) == 1
    assert value("share", GROUNDS) == PLANTED / POOL
    assert value("share", "without grounds") == 0
    # Sharks are half of what is under water: all are found, and half of what is found.
    assert value("recall", FOREIGN) == 1
    assert value("precision", FOREIGN) == 0.5
    assert value("share", "without foreign things") == 20 / 120
    assert value("recall", "studio") == 0
    assert rows.row(metric="recall", dataset="pool/shark").n == 20


def test_where_nothing_was_found_precision_is_undefined():
    nothing = blind_spots(space(*toys.embeddings(apart=0.0)), toys.SPOTS)
    rows = results(nothing, own.planted())
    numbers = key_numbers(rows, own.planted())
    assert numbers["grounds_precision"].text == "undefined, because nothing was found"
    assert numbers["grounds_recall"].value == 0
    assert spot_frame(nothing, own.planted(), 3).empty


def test_tables_list_planted_kinds_first():
    frame = kind_frame(results(toys.blind_spots(), own.planted()), own.planted())
    assert frame["Kind"].tolist() == ["underwater", "studio", "shark"]
    assert frame["In the pool"].round(1).tolist() == [28.6, 71.4, 14.3]
    spots = spot_frame(toys.blind_spots(), own.planted(), 3)
    assert spots.iloc[0].tolist() == ["1", 40, 9, "underwater", 100.0]


def test_kinds_are_read_from_composed_photographs(monkeypatch):
    class Layouts(own.Drawn):
        def truth(self, place):
            sharks = [Thing("shark", True)] * (self._wet(place) and place % 2)
            return Composed(super().truth(place).ground, [Thing("bird", False), *sharks])

    monkeypatch.setattr(module, "as_layouts", lambda images: Layouts(images.embeddings))
    made, expected = planted(*own.seen()), own.planted()
    assert made.pool == "pool"
    for group in (GROUNDS, FOREIGN):
        assert set(made.in_pool[group]) == set(expected.in_pool[group])
        for kind, shown in expected.in_pool[group].items():
            assert made.in_pool[group][kind].tolist() == shown.tolist()
    assert made.in_training[GROUNDS]["studio"].sum() == TRAINING


def test_without_a_generator_nothing_is_known():
    assert planted(*own.seen()) is None
    assert {one.text for one in key_numbers(results(toys.blind_spots(), None), None).values()} == {
        "not known"
    }


def test_that_errors_lie_on_rare_kinds_is_computed():
    """The prose said so whatever the run; in one, adversarial pictures were on fewer."""
    made = own.planted()
    told = key_numbers(results(toys.blind_spots(), made), made)
    assert told["grounds_chosen"].text == "75.0 [36.9, 100.0] %, more than the pool's 28.6 %"
    dry = {kind: np.full(12, kind == "studio") for kind in made.in_chosen[GROUNDS]}
    apart = replace(made, in_chosen={**made.in_chosen, GROUNDS: dry})
    told = key_numbers(results(toys.blind_spots(), apart), apart)
    assert ", fewer than the pool's 28.6 %" in told["grounds_chosen"].text
    none = key_numbers(results(toys.blind_spots(), None), None)
    assert none["foreign_chosen"].text == "not known"
