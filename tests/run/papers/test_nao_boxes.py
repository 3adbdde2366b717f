"""What is asked of found boxes, and other detectors' files of them."""

import json
from dataclasses import replace

import pytest

from robust_book.chapters import nao_2_map
from robust_lib.protocols.objects.scored_boxes import Settings
from robust_lib.run.papers import nao
from tests.chapters.pages import page as page_of
from tests.protocols.objects import toys

ORDINARY, ADVERSARIAL = toys.pictures()


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run whose pictures are shapes, and whose detectors are those of files."""
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    made = replace(page_of(nao_2_map).run, networks=())
    made._sets.update({nao.ORDINARY: ORDINARY, nao.ADVERSARIAL: ADVERSARIAL})
    return made


def write(folder, name, count):
    """A detector that finds everything, a file for each kind of pictures."""
    for role, images in ((nao.ORDINARY, ORDINARY), (nao.ADVERSARIAL, ADVERSARIAL)):
        said = toys.object_boxes({name: count}, images)[name][0].detections
        entries = [
            {
                "image_id": images.ids[image],
                "category_id": int(label),
                "bbox": [*box[:2].tolist(), *(box[2:] - box[:2]).tolist()],
                "score": float(score),
            }
            for image, label, box, score in zip(
                said.images, said.classes, said.boxes, said.scores, strict=True
            )
        ]
        (folder / role).mkdir(exist_ok=True)
        (folder / role / f"{name}.json").write_text(json.dumps(entries))
    return str(folder / "{role}" / f"{name}.json")


@pytest.mark.filterwarnings("ignore:.* by their ids alone")
def test_files_are_scored_as_detectors(run, tmp_path):
    files = [write(tmp_path, "yolov3", 12), write(tmp_path, "yolov4_p7", 0)]
    found = nao.found(run, files)
    both = nao.scored((ORDINARY, ADVERSARIAL), found, Settings(samples=20))
    assert list(both) == ["yolov3", "yolov4_p7"]
    assert both["yolov3"][0].map().value == pytest.approx(1)
    assert both["yolov4_p7"][0].map().value == 0
    assert list(nao.found(run, files[0])[1]) == ["yolov3"]


def test_a_detector_that_saw_only_one_kind_of_pictures_has_no_drop():
    found = toys.object_boxes({"mine": 12}, ORDINARY), {}
    assert nao.scored((ORDINARY, ADVERSARIAL), found, Settings()) == {}
    assert nao.kinds_of_error((ORDINARY, ADVERSARIAL), found) == {}
