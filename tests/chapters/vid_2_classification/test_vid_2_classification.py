"""The chapter on classification: what its blocks show of known answers."""

import re
from dataclasses import replace

import pytest

from robust_book.chapters import vid_2_classification as chapter
from robust_book.chapters.vid_2_classification import distances, numbers
from robust_lib.protocols.pm_k import classification
from robust_lib.protocols.pm_k.classes import by_class
from robust_lib.run.papers import vid
from tests.chapters.toys import texts
from tests.protocols.pm_k import toys

RIGHT = {
    "resnet50_mini": (200, 300),
    "resnet50_mini_video": (260, 340),
    "resnet18_mini": (150, 240),
    "alexnet_mini": (100, 180),
}
ANSWERS = toys.answers(RIGHT, toys.frame_sets(400))


@pytest.fixture
def results(page):
    return classification.results(ANSWERS, vid.names(page.run))


def test_the_six_types_stand_beside_the_papers(page, results):
    block = chapter.six_types(page, results, ANSWERS)
    cells = texts(block, "td")
    assert "75.0 [70.5, 79.2]" in cells
    assert "against attacks: not evaluated in this run" in texts(block, "th")
    assert "67.5" in cells  # the paper's
    assert "n = 400 sets of frames, k = 10" in str(block)
    assert "all 2 outputs; anchor included; each frame's own labels" in str(block).replace(
        "&#x27;", "'"
    )


def test_verdicts_are_those_of_the_numbers(page, results):
    block = str(chapter.six_types(page, results, ANSWERS))
    assert 'data-verdict="holds"' in block
    lifted = chapter.six_types(page, results, ANSWERS)
    assert "Fine-tuning on video raises the accuracy on the anchor" in str(lifted)


def test_the_line_is_told_in_words(page, results):
    block = str(chapter.scattered(page, results, ANSWERS))
    assert "the line through them has the slope" in block
    assert "R² = " in block


def test_two_networks_make_no_line(page):
    two = toys.answers({name: RIGHT[name] for name in list(RIGHT)[:2]}, toys.frame_sets(40))
    rows = classification.results(two, vid.names(page.run))
    assert "there are too few networks for a line" in str(chapter.scattered(page, rows, two))


def test_accuracy_by_distance_is_told_from_end_to_end(page, results):
    block = str(chapter.by_distance(page, results, ANSWERS))
    assert "ResNet-50-like from 75 to 50 %" in block


def test_classes_of_one_network(page):
    rows = by_class(ANSWERS, "resnet50_mini", ("lion", "monkey"))
    block = chapter.class_by_class(page, rows, ANSWERS, "resnet50_mini")
    assert texts(block, "td")[:1] == ["200"]
    assert "lion" in str(block)


def test_all_networks_and_those_of_the_paper_alone(page, results):
    block = chapter.all_networks(page, results, ANSWERS)
    heads = texts(block, "th")
    assert "AlexNet-like" in heads
    assert "nasnetalarge" in heads


def test_one_interval_of_a_drop_stands_on_the_page(page, results):
    """What follows by construction is told without one of its own."""
    for draw in (chapter.six_types, chapter.all_networks):
        block = str(draw(page, results, ANSWERS))
        assert "has the interval of a share." in block
        assert 'data-verdict="by construction"' in block


def test_without_the_anchor_neighbours_may_win_and_no_claim_follows(page):
    """A definition that does not hold here would stop the run, or be called as sure as one."""
    for right, word in (((300, 200), "does not hold"), ((200, 300), "holds")):
        found = toys.answers({"resnet50_mini": right}, toys.frame_sets(400), anchor=False)
        rows = classification.results(found, vid.names(page.run))
        for draw in (chapter.six_types, chapter.all_networks, chapter.by_distance):
            block = str(draw(page, rows, found))
            assert 'data-verdict="by construction"' not in block
        before = str(chapter.six_types(page, rows, found)).partition("Every network is less")[0]
        assert f'data-verdict="{word}"' in before[-300:]


def test_readings_of_other_conventions(page):
    assert "Equation 2" in str(chapter.readings(page, ANSWERS, ANSWERS))


def test_networks_of_ones_own_stand_in_every_table(page):
    """Alone, and beside one of the paper's six types; the conventions had a row for types alone."""
    names = vid.names(page.run)
    for right in ({"mine": (100, 300)}, {"mine": (100, 300), names["resnet50"]: (200, 350)}):
        found = toys.answers(right, toys.frame_sets(400))
        rows = classification.results(found, names)
        for block in (
            chapter.six_types(page, rows, found),
            chapter.readings(page, found, found),
            chapter.all_networks(page, rows, found),
        ):
            assert "mine" in " ".join(texts(block, "th"))
        drawn = texts(chapter.by_distance(page, rows, found), "text")
        assert "mine" in {one.partition(" ")[2] for one in drawn}  # after the sign of its shape


def test_fine_tuning_stands_beside_table_4(page):
    rows = numbers.settings(page.run.paper_names, "clips_train")
    block = chapter.fine_tuning(page, rows)
    assert "Reduce LR On Plateau" in str(block)
    assert 'data-verdict="not comparable"' in str(block)


CLASSES = ("owl", "key")


def test_it_begins_with_the_pages_k_and_reading():
    found = toys.answers({"resnet50_mini": (3, 5), "alexnet_mini": (1, 9)}, k=4, anchor=False)
    block = distances(found, "alexnet_mini", CLASSES)
    assert texts(block, "td")[:3] == ["50.0", "30.0", "20.0"]
    assert re.search(r'name="k" min="0" max="4" step="1" value="4"', str(block))
    assert " checked" not in str(block)
    assert '<option value="1" selected>AlexNet-like' in str(block)


def test_a_set_is_called_by_what_it_shows_and_its_clip():
    block = str(distances(toys.answers({"resnet50_mini": (3, 5)}), "resnet50_mini", CLASSES))
    assert '"sets":["owl (clip_0000)","key (clip_0001)"' in block


def test_a_bit_a_distance_says_whether_a_set_is_right_so_far():
    """Set 3 is lost three frames from its anchor, set 5 at once."""
    block = str(distances(toys.answers({"resnet50_mini": (3, 5)}), "resnet50_mini", CLASSES))
    bits = re.search(r'"seeds":\[\[\[([\d,]+)\]', block)[1].split(",")
    assert [int(one) for one in bits] == [2**11 - 1] * 3 + [0b111] * 2 + [0] * 5


def test_intervals_over_drawings_are_not_called_exact(page, results):
    """Sets of one drawing are drawn again together: Clopper and Pearson know only single ones."""
    shared = replace(ANSWERS, together=("bell",) * 200 + ("bus",) * 200)
    of_classes = toys_of_classes(shared)
    for block in (
        chapter.six_types(page, results, shared),
        chapter.by_distance(page, results, shared),
        chapter.class_by_class(page, of_classes, shared, "resnet50_mini"),
    ):
        assert "exact" not in str(block)
        assert page.run.interval_words in str(block)
    assert "all 400 together show 2 drawings" in str(block)


def toys_of_classes(answers):
    return by_class(answers, "resnet50_mini", ("bear", "bird"))
