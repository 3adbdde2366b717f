"""ImageNet-Vid-Robust in the layout of its release: the three chapters, and boxes from a file."""

import json
import shutil

import pytest

from robust_lib.results.table import Results
from tests import tiny, trees

VIDEOS, FRAMES = 4, 7
MODELS = '["resnet18", "squeezenet1_1"]'


def layouts(folder):
    """Four videos of seven frames, all of ImageNet's thousand outputs, and weights by lot."""
    shutil.copytree(tiny.REPOSITORY / "data_manifests", folder / "data_manifests")
    shutil.copytree(tiny.REPOSITORY / "notebooks", folder / "notebooks")
    manifests, data = folder / "data_manifests", folder / "data"
    public = manifests / "models" / "torchvision.yaml"
    text = public.read_text("utf-8")
    public.write_text(text.replace("weights: IMAGENET1K_V1", "weights: random"), "utf-8")
    trees.vid_robust(data / "imagenet_vid_robust", videos=VIDEOS, frames=FRAMES)
    trees.vid_boxes(data / "imagenet_vid", videos=VIDEOS, frames=FRAMES)
    # All videos of the release, whose boxes no edition lacks.
    tiny.change(manifests / "datasets" / "imagenet_vid.yaml", contents=[])
    release = manifests / "datasets" / "imagenet_vid_robust.yaml"
    tiny.change(
        release,
        images=(VIDEOS - 1) * FRAMES + 1,
        contents=[{"path": "val/ILSVRC201[57]_val_*", "matches": VIDEOS}],
        options={"boxes": "imagenet_vid"},
    )


def words(chapter, **given):
    values = {"device": "cpu"} | given
    parameters = [word for key, value in values.items() for word in ("-p", key, value)]
    return chapter, "--profile", "full_trained", "--into-book", *parameters


def boxes_file(folder):
    """COCO results json of a detector that finds every box and always says airplane."""
    frames = sorted((folder / "data" / "imagenet_vid_robust").glob("*/*/val/*/*.JPEG"))
    entries = [
        {
            "image_id": "/".join(("val", *frame.parts[-2:])),
            "category_id": 0,
            "bbox": [10 + int(frame.stem), 5, 30, 25],
            "score": 0.9,
        }
        for frame in frames
    ]
    path = folder / "airplanes.json"
    path.write_text(json.dumps(entries))
    return str(path)


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    def make(folder):
        layouts(folder)
        networks = {"models": MODELS, "network": "resnet18"}
        boxes = {"models": "[]", "detector": "airplanes", "detections": boxes_file(folder)}
        commands = [
            words("vid_1_dataset", **networks),
            words("vid_2_classification", **networks),
            words("vid_3_detection", **boxes),
        ]
        done = tiny.in_one_process(folder, [("robust", "run", *one) for one in commands])
        assert done.returncode == 0, done.stderr

    return tiny.shared(tmp_path_factory, "videos", make)


def saved(folder, chapter):
    results = folder / "build" / "full_trained" / "results"
    record = json.loads((results / f"{chapter}.json").read_text("utf-8"))
    return Results.load(results / f"{chapter}.parquet"), record


@pytest.mark.slow
def test_counts_are_those_of_the_release(released):
    results, _ = saved(released, "vid_1_dataset")
    assert results.row(item="vid-dataset", metric="anchors").value == VIDEOS
    assert results.row(item="vid-dataset", metric="frames").value == (VIDEOS - 1) * FRAMES + 1
    assert results.row(item="vid-dataset", metric="fewest_neighbours").value == 0


@pytest.mark.slow
def test_networks_of_a_thousand_outputs_are_scored_on_thirty_classes(released):
    results, record = saved(released, "vid_2_classification")
    row = results.row(item="vid-tab3", metric="pm_accuracy", model="resnet18", k=0)
    assert row.n == VIDEOS
    assert "30 classes, each by the largest logit of its outputs, of up to 1,000" in row.convention
    words = {v["verdict"] for item in record["items"] for v in item["verdicts"]}
    assert "not comparable" in words  # four sets are not the release's


@pytest.mark.slow
def test_boxes_of_a_file_are_scored_on_imagenet_vids(released):
    results, _ = saved(released, "vid_3_detection")
    row = results.row(item="vid-tab2", metric="pm_map", model="airplanes", k=10)
    assert row.value == pytest.approx(1)  # every object is an airplane, and found
    assert row.n == VIDEOS


@pytest.mark.slow
def test_a_frame_that_the_metadata_name_and_nobody_has(released, tmp_path):
    folder = tiny.copy(released, tmp_path / "copy")
    frame = next((folder / "data" / "imagenet_vid_robust").glob("*/*/val/*/000001.JPEG"))
    frame.unlink()
    done = tiny.run(folder, *words("vid_1_dataset", models=MODELS))
    assert done.returncode != 0
    assert "Expected" in done.stderr
