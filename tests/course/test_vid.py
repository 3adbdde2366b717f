"""ImageNet-Vid-Robust: widths, pixels, the k of a lost set, and what a run's frames cost."""

from robust_book.course import vid
from robust_lib.results.table import Results
from tests.course.planted import hold, row, says


def test_mistakes_are_named_and_nothing_is_revealed():
    assert hold(vid) >= 14


def test_answers_by_hand():
    told = says(vid, "vid_1_dataset", 2, {"of_anchors": 0.056, "of_videos": 0.028})
    assert told["of_anchors"][0] == "right"
    assert told["of_videos"][0] == "not yet"
    told = says(vid, "vid_1_dataset", 3, {"pixels": 8})
    assert told["pixels"][0] == "right"
    told = says(vid, "vid_1_dataset", 3, {"pixels": 7})
    assert told["pixels"][1] == "there the frames are still similar: add one."
    assert says(vid, "vid_2_classification", 2, {"lost_at": 2})["lost_at"][0] == "right"
    assert "not yet included" in says(vid, "vid_2_classification", 2, {"lost_at": 1})["lost_at"][1]
    told = says(vid, "vid_2_classification", 3, {"alone": 0.84**20})
    assert told["alone"][1] == "the anchor is also one of the frames."
    told = says(vid, "vid_3_detection", 2, {"pm_map": 0.5, "pm_localization": 1})
    assert [state for state, _ in told.values()] == ["not yet", "right"]
    told = says(vid, "vid_3_detection", 3, {"overlap": 0.5})
    assert told["overlap"][1].startswith("the intersection was divided by the area")
    assert says(vid, "vid_3_detection", 3, {"overlap": 1 / 3})["overlap"][0] == "right"


def distances(*values):
    return Results.of(
        row(item="vid-fig4", metric="pm_accuracy", model="m", k=k, value=value)
        for k, value in enumerate(values)
    )


def test_the_steepest_step_is_that_of_the_run():
    def told(k, rows):
        return says(vid, "vid_2_classification", 1, {"falls_most_at": k}, rows)["falls_most_at"]

    rows = distances(0.9, 0.8, 0.5, 0.4)
    assert told(2, rows)[0] == "right"
    assert told(1, rows)[1] == "that is the smaller of the two distances."
    tied = distances(0.9, 0.8, 0.7)
    assert [told(k, tied)[0] for k in (1, 2)] == ["right", "right"]
    assert told(1, distances(0.9, 0.9))[0] == "not in this run"


def test_the_detector_that_loses_most_is_that_of_the_run():
    rows = Results.of(
        row(metric="localization_map_drop", model=model, value=value)
        for model, value in {"one": 0.1, "fasterrcnn_resnet50_mini": 0.2}.items()
    )
    for name in ("fasterrcnn_resnet50_mini", "Faster R-CNN (ResNet-50-like)"):
        told = says(vid, "vid_3_detection", 1, {"detector_that_loses": name}, rows)
        assert told["detector_that_loses"][0] == "right"
    given = {"detector_that_loses": "one"}
    assert says(vid, "vid_3_detection", 1, given, rows)["detector_that_loses"][0] == "not yet"
    few = Results(rows.rows[:1])
    assert says(vid, "vid_3_detection", 1, given, few)["detector_that_loses"][0] == (
        "not in this run"
    )
