"""The numbers of the prose: the best change, and which relatives are more robust at all."""

from robust_book.chapters.overlap_2_balance_and_cover.key_numbers import (
    key_numbers,
    raw_gains,
    relatives,
)
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from tests.protocols.overlap import toys


def row(metric, model, half, value, width=0.0):
    return Row(
        item="overlap-tab1", dataset="toys_c", model=model, metric=metric, corruption=half,
        value=value, low=value - width, high=value + width, n=10, n_full=10,
    )  # fmt: skip


def changes(width=0.0, **by_model):
    pairs = [
        (model, half, value)
        for model, both in by_model.items()
        for half, value in zip(("set1", "set2"), both, strict=True)
    ]
    return Results.of(row("mean_ce_gain", *pair, width) for pair in pairs)


def test_the_numbers_of_the_prose_name_the_best_change():
    found = changes(plain=(0.0, 0.0), robust=(-0.2, -0.1), other=(0.1, 0.2), base=(-0.5, -0.5))
    means = Results.of([row("mean_ce", "plain", "set1", 0.9)])
    tables = {"resnet18": toys.table()}
    overlaps = toys.numbers(tables)
    numbers = key_numbers(found + means + overlaps, "plain", toys.overlaps(tables), "base")
    assert numbers["standard_set1"].text == "90.0 %"
    assert numbers["standard_set2"].text == "not measured"
    assert numbers["best_set1"].text == "−20.0 points (robust)"
    worse = key_numbers(changes(other=(0.1, 0.2)), "plain", toys.overlaps(tables))
    assert worse["best_set1"].text == "+10.0 points (other)"  # nobody improves
    mean = overlaps.row(metric="mean_overlap", corruption="set2").value
    assert numbers["overlap_set2"].text == f"{mean:.2f} (ResNet-18)"
    assert numbers["largest_border"].text == "0.00 (ResNet-18)"
    assert "105 of 105 pairs" in numbers["judged"].text


def test_a_relative_is_robust_only_if_both_halves_fall_beyond_noise():
    found = changes(plain=(0.0, 0.0), good=(-0.2, -0.1), half=(-0.2, 0.1), bad=(0.2, 0.1))
    told = relatives(found, "plain")
    assert told.text == (
        "good is more robust than the standard network on both halves (not: half and bad)"
    )
    assert (told.value, told.n) == (1, 3)
    noisy = relatives(changes(0.15, plain=(0.0, 0.0), good=(-0.2, -0.1)), "plain")
    assert noisy.text.startswith("none of the 1 is more robust")
    assert relatives(Results(), "plain").text == "not measured"


def test_raw_gains_outside_are_counted_where_they_are_beyond_noise():
    scores = toys.alike()
    for name, overlap in (("fog", 0.4), ("snow", -0.2)):
        place = toys.NAMES.index("border"), toys.NAMES.index(name)
        scores[place] = scores[place[::-1]] = overlap
    found = toys.overlaps({"net": toys.table(scores)})
    assert raw_gains(found, "border").text == "1 of 15 networks gain, 1 lose"
    few = toys.overlaps({"net": toys.table(names=("fog", "snow"))})
    assert raw_gains(few, "border").text == "not measured"
