"""Accuracies as tables and figures take them, beside the paper's."""

import pytest

from robust_book.chapters.vid_2_classification import accuracies
from robust_lib.protocols.pm_k import classification
from robust_lib.protocols.pm_k.networks import TYPES
from tests.protocols.pm_k import toys

NAMES = {
    "resnet50": "plain",
    "resnet50_augmented": "jpeg",
    "resnet50_imagenet_augment_jpeg_compression": "jpeg",
    "resnet50_finetune": "tuned",
}
ANSWERS = toys.answers({"plain": (3, 6), "jpeg": (4, 6), "tuned": (5, 8)})
ROWS = classification.results(ANSWERS, NAMES)


def test_every_type_of_the_paper_is_printed():
    printed = accuracies.printed("vid-tab1")
    assert list(printed) == list(TYPES)
    assert all(set(one) == {"original", "perturbed", "drop"} for one in printed.values())


def test_numbers_of_the_text_are_no_part_of_table_3():
    assert accuracies.printed("vid-tab3")["resnet50_detection"]["original"] == 76.3
    assert len(accuracies.printed("vid-tab3")) == 50


def test_a_network_stands_beside_the_name_that_says_most_of_it():
    frame = accuracies.all_frame(ROWS, ANSWERS, NAMES).set_index("Network")
    assert frame.loc["jpeg", "The paper|Worst frame"] == 52.4
    assert frame.loc["jpeg", "Type"] == "with noise augmentation"
    assert frame.index[:3].tolist() == ["tuned", "jpeg", "plain"]  # by the worst frame
    assert len(frame) == 50


def test_dots_have_both_accuracies_and_the_papers_are_a_group_of_their_own():
    found = accuracies.dots(ROWS, ANSWERS, NAMES)
    assert list(found) == [
        "trained on stills",
        "with noise augmentation",
        "fine-tuned on video",
        accuracies.PAPER,
    ]
    (first, second) = found["fine-tuned on video"]["tuned"]
    assert (first[0], second[0]) == (80.0, 50.0)
    assert len(found[accuracies.PAPER]) == 50


def test_lines_by_distance_end_where_the_table_does():
    lines = accuracies.by_distance(ROWS, ["plain"])
    assert [lines["plain"][k][0] for k in (0, 2, 3, 10)] == pytest.approx([60, 60, 30, 30])
