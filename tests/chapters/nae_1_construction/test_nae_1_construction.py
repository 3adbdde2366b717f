"""The chapter on construction: what it refuses, its blocks, and the numbers in its prose."""

import numpy as np
import pytest

from robust_book.chapters import galleries, nae_1_construction
from robust_book.chapters import nae_1_construction as chapter
from robust_book.chapters.nae_1_construction import funnel
from robust_lib.config.profiles import load_profile
from robust_lib.datasets.derived import Subset
from robust_lib.errors import InputError
from robust_lib.run.start import start
from tests.chapters.nae_1_construction.filtrations import FILTRATION
from tests.protocols.nae.toys import masked
from tests.toys import AS_IS, Swatches

MASKED = masked("imagenet_a", {"brightest": 3})


def test_a_class_that_there_is_not_is_refused():
    chapter.require_class("total", ("key", "owl"))
    with pytest.raises(InputError, match="a class to be one of total, key, owl, but got owls"):
        chapter.require_class("owls", ("key", "owl"))


@pytest.mark.parametrize(("confidence", "most"), [(15.0, 15), (-0.1, 15), (0.15, 0)])
def test_thresholds_that_are_none_are_refused(confidence, most):
    with pytest.raises(InputError, match="is a fraction"):
        chapter.require(confidence, most)


def test_the_network_that_is_named_is_the_only_one():
    run = start(chapter.CHAPTER, "mini", network="vgg19")
    assert [str(network) for network in run.networks] == ["vgg19_mini"]


def test_the_funnel_stands_beside_the_papers(page):
    rows = funnel.results(FILTRATION, Swatches(), "owl", 0.15, 15)
    block = str(chapter.steps(page, rows, FILTRATION, "owl"))
    assert "The paper: dragonfly" in block
    assert "This run: owl" in block
    assert "Ten crops; a confidence is the mean of a filter" in block


def test_the_galleries_are_parts_of_the_same_two(page):
    mistakes = galleries.mistakes(MASKED, page.run.images, network="brightest", geometry=AS_IS)
    unknown = galleries.out_of_distribution(
        MASKED, page.run.images, network="brightest", geometry=AS_IS
    )
    both = str(chapter.examples(page, mistakes, unknown))
    assert "Upper row: " in both
    assert both.count("<image") == 10
    assert str(chapter.more_mistakes(page, mistakes)).count("<image") == 25
    more = str(chapter.more_out_of_distribution(page, unknown))
    assert ", the most confident predictions, one per predicted class" in more
    assert "Out-of-distribution scenes of the miniature world" in more  # what the badge describes


def test_sizes_and_classes_stand_beside_the_papers_lists(page):
    sets = [page.run.image_set(role) for role in ("imagenet_a", "imagenet_o")]
    sizes = chapter.counted(*sets, page.run.profile)
    assert "Out-of-distribution detection" in str(chapter.sizes(page, sizes))
    assert "goldfish" in str(chapter.in_distribution_classes(page, sizes, MASKED))
    assert "ImageNet-A&#x27;s classes" in str(chapter.classes(page, sizes))


def test_the_prose_names_counts_or_says_that_nobody_knows():
    surest = galleries.Gallery((), ("bee\n→ owl 73 %", "owl\n→ key 70 %", "key\n→ owl 60 %", "x"))
    numbers = chapter.key_numbers(FILTRATION, Swatches(count=9), Swatches(count=6), surest)
    assert numbers.pop("surest").text == "bee → owl 73 %; owl → key 70 %; key → owl 60 %"
    assert {key: number.text for key, number in numbers.items()} == {
        "candidates": "7", "fooled": "4", "shortlisted": "2", "selected": "9", "foreign": "6",
    }  # fmt: skip
    without = chapter.key_numbers(
        None, Swatches(count=9), Swatches(count=6), galleries.Gallery((), ())
    )
    assert without["candidates"].text == "an unknown number of"
    assert without["selected"].value == 9
    assert without["surest"].text == "none"


FEW = Subset(Swatches(count=9), (0, 3, 4), called="few")
FOREIGN = Swatches(count=6)
RESULTS = nae_1_construction.counted(FEW, FOREIGN, load_profile("full"))


def test_both_sets_have_their_sizes():
    rows = RESULTS.select(item="nae-tab1").rows
    assert [(row.dataset, row.metric, row.value) for row in rows][:2] == [
        ("few", "images", 3),
        ("swatches", "images", 6),
    ]
    # Of ImageNet's validation set the classes are known without its images.
    assert [row.value for row in rows if row.dataset == "imagenet_val"] == [1000]


def test_the_table_names_task_and_source():
    images = [Swatches(count=count, name=f"scenes_{name}_filtered") for name, count in
              (("a", 4), ("o", 2))]  # fmt: skip
    rows = nae_1_construction.counted(*images, load_profile("mini"))
    frame = nae_1_construction.size_frame(rows, *images, load_profile("mini").data)
    assert frame["Images"].tolist() == [4, 2]
    assert "ImageNet-A's rule" in frame.loc[0, "Data set"]
    assert "candidates" in frame.loc[0, "Data sources"]
    assert frame.loc[1, "Task"] == "Out-of-distribution detection"


def test_the_papers_own_sets_come_from_where_it_says():
    images = [Swatches(count=2, name=name) for name in ("imagenet_a", "imagenet_o")]
    rows = nae_1_construction.counted(*images, load_profile("full"))
    frame = nae_1_construction.size_frame(rows, *images, load_profile("full").data)
    printed = nae_1_construction.printed_size_frame()
    assert frame["Data sources"].tolist() == printed["Data sources"].tolist()
    assert printed["Images"].tolist() == [7500, 2000]
    assert printed["Data set"].tolist() == ["ImageNet-A", "ImageNet-O"]


def test_every_class_has_its_pictures():
    frame = nae_1_construction.class_frame(FEW)
    assert frame["Images"].tolist() == np.bincount(FEW.labels, minlength=3).tolist() == [2, 1, 0]


def test_every_class_has_those_that_were_taken_for_it():
    predictions = masked("foreign", {"net": 3}, images=6)
    taken = nae_1_construction.predicted_class_frame(predictions, FOREIGN, "net")[
        "Taken for"
    ].tolist()
    assert taken == np.bincount(predictions.predictions["net"][0].predicted, minlength=3).tolist()


def test_the_papers_lists_have_200_classes_each():
    for name in ("imagenet_a", "imagenet_o"):
        frame = nae_1_construction.paper_class_frame(name)
        assert len(frame) == 200
        assert frame["WordNet id"].str.match(r"n\d{8}$").all()
