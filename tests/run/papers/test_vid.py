"""What the chapters on video share: their records, the detector that names classes."""

from dataclasses import replace

import numpy as np
import pytest

from robust_book.chapters import vid_2_classification as chapter
from robust_lib.metrics.boxes import Detections
from robust_lib.predict.found_boxes import FoundBoxes
from robust_lib.protocols.pm_k.networks import DETECTOR
from robust_lib.results.compare import compare
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.papers import vid
from tests.chapters.pages import page as page_of
from tests.protocols.pm_k import toys


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    return page_of(chapter).run


def test_answers_are_those_of_the_frames_in_sets(run):
    answers = vid.answers(run)
    assert answers.n == 10
    assert answers.hits("brightest")[0].all()  # it knows swatches
    assert "anchor included" in answers.words


def test_conventions_reach_the_answers(run):
    answers = vid.answers(run, k=2, anchor=False, labels="anchor", scores="sum")
    assert (answers.k, answers.anchor, answers.reading) == (2, False, "anchor")


def test_a_detector_joins_with_the_class_of_its_surest_box(run, monkeypatch):
    ours = vid.names(run)[DETECTOR]
    answers = vid.answers(run)
    count = len(answers.sets.frames)
    boxes = np.tile([1.0, 1.0, 9.0, 9.0], (2, 1))
    found = Detections(np.array([0, 0]), np.array([2, 1]), boxes, np.array([0.3, 0.8]))
    record = FoundBoxes(ours, "swatches", answers.sets.frames, found, 0.05, 100)
    monkeypatch.setattr(type(run), "detect", lambda *_: {ours: (record,)})
    (said,) = vid.with_detector(answers, run).by_network[ours]
    assert said.tolist() == [1] + [-1] * (count - 1)


def test_who_names_models_asks_these_alone(run, monkeypatch):
    named = replace(run, parameters={"models": ["resnet18"]})
    answers = vid.answers(run)
    assert vid.with_detector(answers, named) is answers


def test_the_papers_versions_stand_for_one_data_set():
    assert set(vid.versions("mine").values()) == {"mine"}
    assert len(vid.versions("mine")) == 3


def test_rfcn_compares_with_the_videos_of_2015_alone():
    def word(dataset):
        cell = {"item": "vid-tab2", "model": "rfcn_resnet101", "metric": "pm_map", "k": 0}
        row = Row(**cell, dataset=dataset, value=0.79, n=487, n_full=487)
        compared = compare(Results.of([row]), "vid-tab2", datasets=vid.versions(dataset))
        return next(one.verdict for one in compared if one.reported == "79.4")

    assert word("imagenet_vid_robust") == "not comparable"
    assert word("imagenet_vid_robust_2015") != "not comparable"


def test_toys_say_what_they_are():
    assert toys.answers({"mine": (3, 5)}).n == toys.SETS
