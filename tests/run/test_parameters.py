"""Parameters of a run: one set of types by every way in, and refused before anything is done."""

import pytest
from papermill.cli import _resolve_type

from robust_book.chapters import chapter, notebooks
from robust_book.commands.steps import _parameter
from robust_lib import paths
from robust_lib.config.profiles import load_profile
from robust_lib.errors import InputError, RobustLibError
from robust_lib.run.experiments import defaults, kinds
from robust_lib.run.parameters import require_possible, typed
from robust_lib.run.start import start
from tests.toys import unchecked


def cell(name):
    return paths.notebooks() / f"{name}.ipynb"


def own(name):
    return {key: value for key, value in defaults(cell(name)).items() if key != "profile"}


@pytest.mark.parametrize("name", notebooks())
def test_what_a_notebook_has_itself_is_of_its_own_types(name):
    types = kinds(cell(name))
    assert set(types) == {"profile", *own(name)}
    for key, value in own(name).items():
        assert typed(key, value, types[key]) == value
    start(chapter(name), "smoke", **own(name))  # and is possible


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("severities", [1, 7], "but got 7"),
        ("limit", -3, "but got -3"),
        ("epochs", 0, "but got 0"),
        ("seeds", [], "seeds"),
        ("storage", "png", "but got 'png'"),
        ("corruptions", ["fogg"], "but got fogg"),
        ("images", "folder:nowhere", "folder of images at nowhere, but there is none. Check the"),
        ("images", "coco:no.json,nowhere", "annotations in no.json, but there is no such file"),
    ],
)
def test_what_no_run_can_have_is_refused_without_a_run(name, value, told):
    with pytest.raises(RobustLibError, match=told):
        require_possible(load_profile("smoke"), {name: value})


# What is typed after -p, and what it is, or None where it is refused.
@pytest.mark.parametrize(
    ("name", "key", "words", "value"),
    [
        ("overlap_1_matrix", "divide_by_clean", "False", False),
        ("overlap_1_matrix", "divide_by_clean", "no one", None),
        ("vid_2_classification", "anchor", "0", None),
        ("vid_2_classification", "k", "3", 3),
        ("vid_2_classification", "k", "3.5", None),
        ("vid_2_classification", "k", "None", None),
        ("nao_1_construction", "foreign", "maybe", None),
        ("nao_2_map", "iou", "5e-1", 0.5),
        ("nao_2_map", "iou", "half", None),
        ("nao_2_map", "foreign", "nope", None),
        ("vid_3_detection", "interpolation", "12-point", None),
        ("nae_2_imagenet_a", "edits", '["grey"]', ["grey"]),
        ("nae_2_imagenet_a", "edits", "grey", None),
        ("inc_2_mce", "severities", "3", None),
        ("inc_2_mce", "severities", "[1, 3]", [1, 3]),
        ("inc_2_mce", "severities", '["1"]', None),
        ("inc_2_mce", "limit", "ten", None),
        ("inc_2_mce", "device", "CPU", None),
        ("inc_2_mce", "device", "gpu", None),
        ("inc_2_mce", "models", "resnet18", None),
        ("inc_4_icons50", "style", "3", None),
    ],
)
def test_papermill_the_command_and_python_read_or_refuse_alike(name, key, words, value):
    ways = [_resolve_type(words), _parameter(f"{key}={words}")[1]]
    if value is not None:
        ways.append(value)
    for way in ways:
        if value is None:
            with unchecked(), pytest.raises(InputError, match="Expected "):
                start(chapter(name), "smoke", **{key: way})
        else:
            assert start(chapter(name), "smoke", **{key: way}).parameters == {key: value}


def test_nothing_is_nothing_by_every_way():
    for way in (_resolve_type("None"), _parameter("models=None")[1], None):
        assert start(chapter("inc_2_mce"), "smoke", models=way).parameters == {}


def test_a_text_is_no_switch_since_papermill_hands_over_text():
    message = (
        "Expected divide_by_clean as True or False, but got 'false'. papermill's -p recognises"
    )
    with pytest.raises(InputError, match=message):
        start(chapter("overlap_1_matrix"), "smoke", divide_by_clean=_resolve_type("false"))
    # The command reads YAML, and hands over what it read.
    assert _parameter("divide_by_clean=false")[1] is False


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("inc_1_corruptions", {"corruption": "smog"}, "Expected corruption to be one of"),
        ("inc_1_corruptions", {"severity": 6}, "Expected severity to be one of 1, 2, 3, 4, 5"),
        ("nae_1_construction", {"confidence": 15}, "15 % is 0.15"),
        ("nae_3_imagenet_o", {"pictures": 1}, "Expected at least 4 images of each set"),
        ("nao_1_construction", {"annotators": 4}, "an odd number of annotators"),
        ("nao_3_blind_spots", {"level": 2}, "Expected a level between 0 and 1"),
        ("nao_3_blind_spots", {"spots": 0}, "Expected `spots` of at least 1"),
        ("nao_4_attribution", {"patch": 0.7}, "`patch` above 0 and up to 0.5"),
        ("nao_4_attribution", {"lost": "never"}, "Expected lost to be one of zero, left out"),
        ("nao_4_attribution", {"tolerance": 2}, "a tolerance between 0 and 1"),
        ("overlap_1_matrix", {"widest": -1}, "Expected widest to be above 0"),
        ("vid_2_classification", {"k": 11}, "Expected k from 1 to 10 frames"),
        ("vid_2_classification", {"labels": "mine"}, "Expected the labels of frame or anchor"),
        ("vid_2_classification", {"scores": "mean"}, "Expected scores to be one of max, sum"),
        ("vid_3_detection", {"iou": 2}, "Expected iou between 0 and 1"),
    ],
)
def test_what_a_chapter_cannot_do_is_refused_before_its_work(name, given, message):
    with unchecked(), pytest.raises(InputError, match=message):
        start(chapter(name), "smoke", **given)
