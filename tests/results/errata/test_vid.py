"""Errata of the video paper: each computation shows what the text says."""

from robust_lib.config.profiles import load_profile
from robust_lib.results.errata import vid
from robust_lib.results.reported import reference, reported
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
    assert computed(vid.repeated_names)[:3] == ["42", "7", "48"]


def test_rows_of_one_name_are_of_the_networks_that_public_predictions_allow():
    """Each of 36 further sets is right or wrong; most networks have 10 to 18 of them right."""
    known = set(reference("testbed_reference").query("dataset == 'imagenet_vid_robust'")["model"])
    shown = known & {row.model for row in reported("vid-tab3")}
    assert len(shown) == 30
    assert set(vid.MAY_BE) <= shown
    for model in shown:
        anchor, worst = vid.further_right(model, model)
        assert 11 <= anchor <= 18, model
        assert 10 <= worst <= 17, model
    for model, other in (("vgg11_bn", "vgg11"), ("densenet161", "densenet169")):
        assert max(vid.further_right(model, other)) > vid.FURTHER_SETS
    assert min(vid.further_right("vgg19", "vgg19_bn")) < 0


def test_full_asks_each_network_of_table_3_under_the_row_that_is_its_own():
    """Where two rows bear one name, or one row is of another network, numbers would be compared."""
    asked = load_profile("full").networks["vid"]
    for model in vid.MAY_BE:
        assert asked[model] == model
    for name in ("full", "mini"):
        plain = {
            row for row in load_profile(name).networks["vid"] if not row.startswith("resnet50_")
        }
        printed = {row.model for row in reported("vid-tab3")}
        assert plain - {"feature_denoise"} <= printed, name


def test_two_augmented_networks_may_be_table_1s_and_no_noise():
    found = {line.what.rpartition(" ")[2]: line.computed for line in vid.augmented_row()}
    possible = {name for name, text in found.items() if "-" not in text}
    assert possible == {"resnet50", "jpeg_compression", "gaussian_blur"}
    assert (found["resnet50"], found["gaussian_blur"]) == ("16 and 10", "17 and 8")


def test_table_2_has_three_networks():
    assert computed(vid.backbones) == ["fasterrcnn_resnet50, fasterrcnn_resnet101, rfcn_resnet101"]
