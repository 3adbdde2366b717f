"""The chapter on detection: what its blocks show of known boxes."""

from types import SimpleNamespace

import pytest

from robust_book.chapters import learning, vid_3_detection
from robust_book.chapters import vid_3_detection as chapter
from robust_book.chapters.vid_3_detection import failures
from robust_lib.config.profiles import load_profile
from robust_lib.protocols.pm_k import detection
from robust_lib.protocols.pm_k.detection import TASKS, results
from tests.chapters.toys import texts
from tests.protocols.pm_k import toys

RIGHT = {"fasterrcnn_resnet50_mini": (20, 36)}
SETS = toys.frame_sets(40)


@pytest.fixture
def scored():
    return toys.scored(RIGHT, SETS)


def test_both_tasks_stand_beside_the_papers(page, scored):
    block = chapter.detectors(page, detection.results(scored), scored)
    cells = texts(block, "td")
    assert cells[0] == "detection"
    assert "62.8" in cells  # the paper's
    assert "n = 40 sets of frames, k = 10; IoU 0.5" in str(block)
    assert "Faster R-CNN (ResNet-50-like), detection, from" in str(block)


def test_failures_show_anchors_above_their_worst_frames(page, scored):
    (one,) = scored.values()
    (found,) = toys.boxes(RIGHT, SETS).values()
    truth = detection.truth_of(toys.annotations(SETS))
    shown = failures.failures(one, found, truth, toys.swatch_frames(SETS))
    block = str(chapter.worst_frames(page, shown, "fasterrcnn_resnet50_mini", one.settings))
    assert block.count("<image") == 2  # the detector fails in one way
    assert "3 frames later: another name" in block


def test_a_detector_that_loses_nothing_says_so(page):
    none = failures.Failures((), (), ())
    block = str(chapter.worst_frames(page, none, "mine", detection.Settings()))
    assert "In every set, the detector still finds what it found on the anchor." in block


def test_scores_are_those_of_the_runs_own_frames(page):
    assert chapter.scored(page.run, {}, detection.Settings()) == {}


def test_recipes_stand_beside_table_5(page):
    rows = chapter.settings(page.run.paper_names, "clips_train_large", 3840)
    block = chapter.recipes(page, rows)
    assert texts(block, "td")[:3] == ["0.0015", "cosine", "8"]
    assert "Step 20k, 30k" in str(block)


def test_losses_are_folded(page, monkeypatch):
    monkeypatch.setattr(learning, "losses", lambda run: {"mine": [[2.0, 1.0]]})
    block = str(chapter.training(page))
    assert "How the detectors learned: loss by epoch" in block


NAMES = {"fasterrcnn_resnet50": "small", "rfcn_resnet101": "other"}
SCORED = toys.scored({"small": (3, 8), "other": (6, 9)})
ROWS = results(SCORED)
FULL = load_profile("full_trained").networks["detection"]
MANY = 10**6  # images, more than the iterations show


def test_each_detector_stands_once_per_task_beside_the_papers():
    frame = vid_3_detection.map_frame(ROWS, NAMES, 10)
    assert frame["Detector"].tolist() == ["small", "other"] * 2
    assert frame["Task"].tolist() == ["detection"] * 2 + ["localisation"] * 2
    assert frame["The paper|Worst frame"].tolist() == [48.8, 63.7, 64.2, 70.3]
    assert frame.loc[0, ["The paper|Anchor", "The paper|Drop"]].tolist() == [62.8, 14.0]
    first = frame.iloc[0]
    gap = first["This run|Anchor"].value - first["This run|Worst frame"].value
    assert first["This run|Drop"].value == pytest.approx(gap)


def test_lines_go_from_distance_to_distance_with_their_intervals():
    lines = vid_3_detection.by_distance(ROWS)
    assert list(lines) == list(TASKS)
    assert {name for by_detector in lines.values() for name in by_detector} == set(SCORED)
    row = ROWS.row(model="small", metric="pm_map", k=10)
    assert lines["detection"]["small"][10] == row.percent
    assert list(lines["detection"]["small"]) == list(range(11))


def test_words_go_from_end_to_end():
    line = {0: (80.0, 80.0, 80.0), 10: (60.0, 60.0, 60.0)}
    told = vid_3_detection.in_words({"detection": {"a": line}, "localisation": {"a": line}})
    assert told == "a, detection, from 80 to 60 %; a, localisation, from 80 to 60 %"


def test_the_prose_names_the_first_detector_and_the_range():
    named = vid_3_detection.key_numbers(ROWS, SCORED)
    told = {key: one.text for key, one in named.items()}
    assert [told[key] for key in ("detector", "detectors", "sets", "k")] == [
        "small", "2", "10", "10",
    ]  # fmt: skip
    assert told["detection_anchor"].endswith("%")
    assert named["detection_worst"].value < named["detection_anchor"].value
    assert told["localisation_drop"].startswith("0.0 ")
    drops = [named[f"{which}_drop"].value for which in ("smallest", "median", "largest")]
    assert drops == sorted(drops)


def test_iterations_are_those_that_the_run_took():
    """A profile's epochs end a training before the recipe's iterations do."""
    names = {"fasterrcnn_resnet50": "fasterrcnn_resnet50_mini"}
    profile = SimpleNamespace(data={vid_3_detection.TRAINED_ON: "clips"}, epochs=1)
    run = SimpleNamespace(paper_names=names, profile=profile, image_set=lambda role: range(3840))
    rows = vid_3_detection.trained(run)
    assert rows.row(metric="iterations").value == 480
    frame = vid_3_detection.settings_frame(rows, names, profile.epochs)
    assert frame["This run|Iterations"].tolist() == ["480"]


def test_profile_full_has_the_papers_settings():
    rows = vid_3_detection.settings(FULL, "imagenet_vid_train", MANY)
    for name in ("fasterrcnn_resnet50", "fasterrcnn_resnet101"):
        told = {row.metric: row.value for row in rows.select(model=FULL[name]).rows}
        assert told == {"learning_rate": 0.01, "batch_size": 8.0, "iterations": 40000.0}
    assert {row.dataset for row in rows.rows} == {"imagenet_vid_train"}


def test_both_sides_of_the_settings_stand_in_the_frame():
    rows = vid_3_detection.settings(FULL, "imagenet_vid_train", MANY)
    frame = vid_3_detection.settings_frame(rows, FULL)
    assert frame["The paper|Iterations"].tolist() == ["40k", "40k", "–"]  # R-FCN has no row there
    assert frame.iloc[0, 1:].tolist() == [
        "0.01", "step", "8", "40,000", "1e-2", "Step 20k, 30k", "8", "40k",
    ]  # fmt: skip
    assert set(frame["This run|Iterations"]) == {"40,000"}
