"""How detectors were trained, and that profile full does it as the paper says."""

from robust_book.chapters.vid_3_detection.settings import settings, settings_frame
from robust_lib.config.profiles import load_profile

FULL = load_profile("full_trained").networks["detection"]


def test_profile_full_has_the_papers_settings():
    rows = settings(FULL, "imagenet_vid_train")
    for name in ("fasterrcnn_resnet50", "fasterrcnn_resnet101"):
        told = {row.metric: row.value for row in rows.select(model=FULL[name]).rows}
        assert told == {"learning_rate": 0.01, "batch_size": 8.0, "iterations": 40000.0}


def test_both_sides_stand_in_the_frame():
    frame = settings_frame(FULL)
    assert frame["The paper|Iterations"].tolist() == ["40k", "40k", "–"]  # R-FCN has no row there
    assert set(frame["This run|Iterations"]) == {"40,000"}
