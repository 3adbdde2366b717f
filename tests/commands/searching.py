"""A project with pictures and a detector that is sure of a dog in each of them."""

import json

import pytest

from tests import tiny, trees

# A dog of which it is sure in every picture, and a person of which it is not; nothing is learnt.
DETECTOR = """
import numpy as np

class Dogs:
    name, classes, outputs, fingerprint = "dogs", "{classes}", {outputs}, "none"
    least_score, most = 0.1, 100

    def __call__(self, images):
        return [self.look(*image.shape[1:]) for image in images]

    def look(self, height, width):
        boxes = np.array([[0, 0, width / 2, height / 2], [0, 0, width, height]], np.float32)
        return boxes, np.array([16, 0]), np.array([0.9, 0.6], np.float32)

def build():
    return Dogs()
"""
TRUTH = {
    "images": [
        {"id": number, "file_name": f"{name}.jpg", "width": 40, "height": 30}
        for number, name in enumerate(("cat", "dog", "fox", "sub/empty"))
    ],
    "annotations": [
        {"id": number, "image_id": number, "category_id": number, "bbox": [0, 0, 20, 15]}
        for number in range(3)
    ],
    "categories": [{"id": at, "name": name} for at, name in enumerate(("cat", "dog", "fox"))],
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "my_detector.py").write_text(DETECTOR.format(classes="coco", outputs=80))
    (folder / "odd.py").write_text(DETECTOR.format(classes="zoo", outputs=80))
    (folder / "truth.json").write_text(json.dumps(TRUTH))
    for number, name in enumerate(("cat", "dog", "fox", "sub/empty")):
        trees.save(folder / "pool" / f"{name}.jpg", number)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path / "build"))
    return folder


@pytest.fixture
def robust(project, monkeypatch, capsys):
    return lambda *words: tiny.command(monkeypatch, capsys, *words)


SEARCH = ("candidates", "pool", "--detector", "my_detector.py:build")
