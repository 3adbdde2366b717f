"""Two runs of a chapter compared: numbers by the first one's intervals, verdicts by their words."""

import csv
import json

import pytest

from tests.bench.portability import KEY, Agreement, agreement, made_ready


def run(folder, numbers, words):
    folder.mkdir()
    with (folder / "one.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [*KEY, "value", "low", "high"])
        writer.writeheader()
        for metric, (value, low, high) in numbers.items():
            writer.writerow({"metric": metric, "value": value, "low": low, "high": high})
    verdicts = [{"sentence": said, "metric": "a", "verdict": word} for said, word in words.items()]
    items = [{"item": "inc-tab1", "verdicts": verdicts}]
    (folder / "one.json").write_text(json.dumps({"items": items}))
    return folder


@pytest.fixture
def book(tmp_path):
    numbers = {"a": (0.5, 0.4, 0.6), "b": (0.5, 0.4, 0.6), "c": (0.5, 0.45, 0.6), "n": (7, "", "")}
    return run(tmp_path / "book", numbers, {"A > B": "holds", "B > C": "not decided"})


def test_numbers_are_held_against_the_books_intervals(book, tmp_path):
    numbers = {"a": (0.5, 0, 1), "b": (0.55, 0, 1), "c": (0.44, 0, 1), "n": (8, "", "")}
    words = {"A > B": "holds", "B > C": "not decided"}
    found = agreement(book, run(tmp_path / "other", numbers, words), "one")
    expected = Agreement(same=1, inside=1, outside=1, without=1, verdicts=2, largest=0.4)
    assert found.largest == pytest.approx(0.4)
    assert found == Agreement(**vars(expected) | {"largest": found.largest})


def test_a_word_that_differs_and_a_row_that_is_lost_are_found(book, tmp_path):
    words = {"A > B": "does not hold", "B > C": "not decided"}
    found = agreement(book, run(tmp_path / "other", {"a": (0.5, 0.4, 0.6)}, words), "one")
    assert found.flipped == ("one, inc-tab1 0 A > B: holds, and does not hold",)
    assert (found.lost, found.same) == (3, 1)


def test_predictions_are_left_out_and_networks_are_not(tmp_path):
    store = tmp_path / "cache" / "store" / "00"
    store.mkdir(parents=True)
    for name, about in (("network", {"recipe": 1}), ("answers", {"fingerprint": 1})):
        (store / f"{name}.npz").touch()
        entry = {"file": f"{name}.npz", "description": about}
        (store / f"{name}.json").write_text(json.dumps(entry))
    made_ready(tmp_path / "cache", tmp_path / "other")
    left = [path.name for path in sorted((tmp_path / "other").rglob("*.*"))]
    assert left == ["network.json", "network.npz"]
