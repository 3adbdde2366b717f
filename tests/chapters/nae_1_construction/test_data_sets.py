"""Sizes and classes of both data sets."""

import numpy as np

from robust_book.chapters.nae_1_construction import data_sets
from robust_lib.config.profiles import load_profile
from robust_lib.datasets.derived import Subset
from tests.protocols.nae.toys import masked
from tests.toys import Swatches

FEW = Subset(Swatches(count=9), (0, 3, 4), called="few")
FOREIGN = Swatches(count=6)
RESULTS = data_sets.results(FEW, FOREIGN, Swatches(count=30, name="whole"))


def test_both_sets_have_their_sizes():
    rows = RESULTS.select(item="nae-tab1").rows
    assert [(row.dataset, row.metric, row.value) for row in rows][:2] == [
        ("few", "images", 3),
        ("swatches", "images", 6),
    ]


def test_the_table_names_task_and_source():
    images = [Swatches(count=count, name=f"scenes_{name}_filtered") for name, count in
              (("a", 4), ("o", 2))]  # fmt: skip
    rows = data_sets.results(*images, Swatches(name="scenes_val"))
    frame = data_sets.size_frame(rows, *images, load_profile("mini").data)
    assert frame["Images"].tolist() == [4, 2]
    assert "ImageNet-A's rule" in frame.loc[0, "Data set"]
    assert "candidates" in frame.loc[0, "Data sources"]
    assert frame.loc[1, "Task"] == "Out-of-distribution detection"


def test_the_papers_own_sets_come_from_where_it_says():
    images = [Swatches(count=2, name=name) for name in ("imagenet_a", "imagenet_o")]
    rows = data_sets.results(*images, Swatches(name="imagenet_val"))
    frame = data_sets.size_frame(rows, *images, load_profile("full").data)
    printed = data_sets.printed_size_frame()
    assert frame["Data sources"].tolist() == printed["Data sources"].tolist()
    assert printed["Images"].tolist() == [7500, 2000]
    assert printed["Data set"].tolist() == ["ImageNet-A", "ImageNet-O"]


def test_every_class_has_its_pictures():
    frame = data_sets.class_frame(FEW)
    assert frame["Images"].tolist() == np.bincount(FEW.labels, minlength=3).tolist() == [2, 1, 0]


def test_every_class_has_those_that_were_taken_for_it():
    predictions = masked("foreign", {"net": 3}, images=6)
    taken = data_sets.predicted_class_frame(predictions, FOREIGN, "net")["Taken for"].tolist()
    assert taken == np.bincount(predictions.predictions["net"][0].predicted, minlength=3).tolist()


def test_the_papers_lists_have_200_classes_each():
    for name in ("imagenet_a", "imagenet_o"):
        frame = data_sets.paper_class_frame(name)
        assert len(frame) == 200
        assert frame["WordNet id"].str.match(r"n\d{8}$").all()
