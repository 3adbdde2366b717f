"""Seen and unseen subtypes, of networks whose predictions are known."""

import pytest

from robust_book.chapters import inc_5_auxiliary as chapter
from robust_book.chapters.inc_5_auxiliary import imagenet_22k
from robust_book.engine.needs import needs
from robust_lib.config.profiles import load_profile
from robust_lib.errors import InputError
from robust_lib.protocols import imagenet_22k_subtypes as protocol
from tests.chapters import pages, toys


@pytest.fixture
def page(build):
    return pages.page(chapter, "toys")


def answers(mine=(27, 15), other=(24, 12), images=30, **changes):
    return toys.subtype_answers({"mine": mine, "other": other}, images=images, **changes)


def many():
    return answers(mine=(270, 150), other=(240, 250), images=300)


def test_figure_8_has_a_gap_a_network_and_a_verdict(page):
    said = answers()
    block = imagenet_22k.gap(page, page.run, protocol.results(said), said)
    texts = toys.texts(block, "text")
    assert "accuracy on seen minus accuracy on unseen subtypes (points)" in texts
    assert {"mine", "other", "Mean of the networks", "no gap"} <= set(texts)
    assert "6 seen subtypes" in str(block)
    assert "left out" not in str(block)
    (claim,) = [one for one in page._items["inc-fig8"]["verdicts"] if "accuracy" in one["metric"]]
    assert claim["verdict"] in ("holds", "not decided")
    assert claim["sentence"].startswith("Unseen subtypes")
    for shared, words in ((7, "7 subtypes that belong to two classes are left out"),
                          (1, "1 subtype that belongs to two classes is left out")):  # fmt: skip
        said = answers(shared=shared)
        assert words in str(imagenet_22k.gap(page, page.run, protocol.results(said), said))


def test_gaps_are_drawn_with_the_interval_that_the_claim_is_judged_by():
    found = imagenet_22k.dots(protocol.results(many()), many())
    assert list(found) == ["mine", "other", "Mean of the networks"]
    assert found["mine"][0] == pytest.approx(90 - 50)
    drop = protocol.results(many()).row(
        metric="drop", model="mine", convention=protocol.OVER_CLASSES
    )
    assert found["mine"] == drop.percent


def test_a_table_row_has_both_intervals():
    frame = imagenet_22k.gap_frame(protocol.results(many()), many())
    assert frame["Network"].tolist() == ["mine", "other"]
    assert frame["Gap, over classes"][0].value == pytest.approx(40)
    assert frame["Gap, over images"][1].value == pytest.approx(-10 / 3)
    assert [frame[side][0].value for side in ("Seen", "Unseen")] == pytest.approx([90, 50])
    assert frame["Ordinary"].tolist() == pytest.approx([90, 80])


def test_classes_are_ranked_by_their_gap():
    frame = imagenet_22k.class_frame(answers())
    assert frame["Gap"].is_monotonic_decreasing
    assert (frame["Seen"] - frame["Unseen"]).tolist() == pytest.approx(frame["Gap"].tolist())
    lost = imagenet_22k.class_frame(toys.subtype_answers({"mine": (12, 0)}))
    assert lost["Taken for"].tolist() == ["key (100)", "owl (100)", "candle (100)"]
    known = imagenet_22k.class_frame(toys.subtype_answers({"mine": (12, 12)}))
    assert {*known["Taken for"], *known["Unseen subtype"]} == {"–"}


def test_the_gallery_begins_each_row_with_a_seen_subtype_of_the_worst(page):
    few = toys.subtype_answers({"mine": (30, 0)}, images=30)
    found = imagenet_22k.worst_gallery(page.run, few)
    row = 1 + imagenet_22k.EACH
    assert len(found.captions) == imagenet_22k.WORST * row
    worst = protocol.of_subtypes(few)[: imagenet_22k.WORST]
    names = [few.class_names[one.label] for one in worst]
    assert [one.removesuffix(", seen") for one in found.captions[::row]] == names
    assert all("→" in one for one in found.captions[1:row])
    texts = toys.texts(imagenet_22k.worst(page, page.run, answers(mine=(30, 0))), "text")
    assert sum(text.endswith(", seen") for text in texts) == imagenet_22k.WORST
    assert any(text.startswith("→") for text in texts)


def test_numbers_of_the_prose_are_those_of_the_rows():
    numbers = imagenet_22k.key_numbers(protocol.results(many()), many())
    assert numbers["unseen_network"].text == "mine"
    assert numbers["unseen_network_unseen"].value == pytest.approx(0.5)
    assert numbers["unseen_networks"].text == "1 of 2 networks (1 with the whole interval)"
    assert numbers["unseen_gap"].value == pytest.approx((0.4 - 10 / 300) / 2)


def test_the_chapter_needs_no_training_for_it_in_the_miniature():
    """All networks are those of the corruption benchmark, which other chapters train."""
    mini = load_profile("mini")
    assert mini.networks["imagenet_22k"] == mini.networks["imagenet_c"]
    for part in (imagenet_22k.TUNED, imagenet_22k.BEFORE):
        assert set(map(str, needs(part, mini).trained)) == set(mini.networks["imagenet_c"].values())
    found = needs(imagenet_22k.TUNED, mini)
    assert {"scenes_familiar", "scenes_unfamiliar"} <= set(found.datasets)


def test_the_full_profile_tunes_each_network_of_the_benchmark():
    full = load_profile("full_trained")
    assert set(full.networks["imagenet_22k"]) == set(full.networks["imagenet_c"])
    trained = needs(imagenet_22k.TUNED, full).trained
    assert [str(one) for one in trained] == [f"{name}_22k" for name in full.networks["imagenet_c"]]


def test_pictures_of_unknown_subtypes_are_refused(page):
    with pytest.raises(InputError, match="Expected rendered scenes"):
        imagenet_22k.predictions(page.run, page.run)
