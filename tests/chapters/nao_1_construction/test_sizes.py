"""Table 1: pictures, objects and classes of the data sets, beside the paper's."""

from robust_book.chapters.nao_1_construction import sizes
from robust_lib.results.compare import compare
from tests.layouts import Shapes

SETS = {
    "coco_train": Shapes(40, name="train"),
    "coco_val": Shapes(name="val"),
    "openimages": Shapes(20, name="pool"),
    "nao": Shapes(6, name="few"),
}
ROWS = sizes.results(SETS)


def test_objects_are_those_of_the_label_set_and_in_the_pool_all():
    counts = {row.dataset: row.value for row in ROWS.select(metric="objects").rows}
    assert (counts["val"], counts["few"]) == (10, 5)
    pool = SETS["openimages"].annotations
    assert counts["pool"] == sum(len(one) + len(one.foreign) for one in pool)
    assert "train" not in counts
    assert sum(counts[f"val/{name}"] for name in ("disc", "box", "cross")) == 10
    classes = {row.dataset: row.value for row in ROWS.select(metric="classes").rows}
    assert classes == {"val": 3, "few": 3, "pool": 5}
    assert ROWS.row(dataset="train", metric="images").value == 40


def test_the_table_has_the_most_frequent_classes():
    names = {role: images.name for role, images in SETS.items()}
    frame = sizes.frame(ROWS, names).set_index("Data set")
    assert list(frame.index) == [
        "COCO train: train",
        "COCO val: val",
        "OpenImages: pool",
        "NAO: few",
    ]
    val = frame.loc["COCO val: val"]
    counted = sizes.counts(SETS["coco_val"].annotations, SETS["coco_val"].class_names)
    assert val["1st"] == f"{max(counted, key=counted.get)} ({max(counted.values())})"
    assert frame.loc["COCO train: train", "1st"] == ""


def test_the_papers_table_is_as_printed():
    frame = sizes.printed_frame().set_index("Data set")
    assert frame.loc["NAO"].tolist() == [7936, 13604, "person (4,693)", "cup (2,257)", "car (752)"]
    assert frame.loc["COCO val", "3rd"] == "chair (1,791)"
    assert frame.loc["COCO test-dev"].isna().tolist() == [False, True, False, False, False]
    assert frame.loc["OpenImages", "Images"] == 1_900_000


def test_on_the_papers_own_sets_counts_are_judged():
    release = Shapes(6, name="nao")
    found = compare(sizes.results({"nao": release}), "nao-tab1")
    (images,) = [one for one in found if (one.dataset, one.metric) == ("nao", "images")]
    assert images.ours == 6
    assert images.verdict == "differs"
