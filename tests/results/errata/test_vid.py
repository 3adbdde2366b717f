"""Errata of the video paper: each computation shows what the text says."""

from robust_lib.results.errata import vid
from tests.results.errata.lines import computed


def test_the_two_tables_are_about_two_versions_of_the_data():
    assert computed(vid.anchor_counts) == ["6", "3", "41", "50", "1,145"]


def test_the_intervals_are_those_of_the_other_version():
    assert computed(vid.interval_counts) == ["4", "12"]


def test_the_total_drop_is_in_neither_table():
    assert computed(vid.total_drop) == ["14.2", "14.0"]


def test_the_gain_of_the_text_needs_accuracies_of_both_tables():
    *within, across = computed(vid.finetune_gain)
    assert within == ["14.4", "14.3", "12.7", "12.7"]
    assert across == "12.0"


def test_ten_frames_are_within_the_window_at_high_frame_rates_only():
    assert computed(vid.window) == ["0.17", "0.34", "1.11"]


def test_there_are_seven_augmented_networks():
    assert computed(vid.augmentations) == ["7", "defocus_blur"]


def test_the_accuracies_of_the_detection_paragraph_are_those_of_the_other_table():
    found = [(line.printed, line.computed) for line in vid.detection_accuracy()]
    assert found == [
        ("76.3", "77.6"),
        ("76.3", "76.3"),
        ("79.5", "81.9"),
        ("79.5", "81.1, 79.5, 79.5"),
    ]


def test_the_drops_of_detection():
    assert computed(vid.map_drop_range) == ["12.5", "15.7"]
    assert computed(vid.localization_drop) == [f"{x} points smaller" for x in ("1.6", "1.0", "5.1")]


def test_the_names_of_table_3():
    assert computed(vid.repeated_names) == ["42", "7", "48"]
