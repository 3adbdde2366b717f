"""Chapters that see the same images share jobs, unless one waits for a training; bundles."""

from collections import Counter
from dataclasses import replace

import pytest

from robust_book import chapters
from robust_book.engine import plan
from robust_book.engine.evaluations import bundles, groups, shares
from robust_book.engine.needs import needs
from robust_lib.config.profiles import load_profile
from robust_lib.datasets import picture_files
from robust_lib.run.chapter import Chapter, OnCorruptions, OnImages
from robust_lib.run.start import start
from robust_lib.vocabulary import COMMON
from tests import tiny, trees

FULL, MINI = load_profile("full_trained"), load_profile("mini")
SHOWS = (OnCorruptions("imagenet_val"),)
ERRORS = Chapter("errors", networks="imagenet_c", shows=SHOWS)
FOG = Chapter("fog", networks="imagenet_c", shows=SHOWS, evaluates=("vgg11",), corruptions=("fog",))
BORDER = replace(FOG, notebook="border", corruptions=("fog", "border"))
TUNED = Chapter("tuned", networks="enhancements", shows=SHOWS, corruptions=COMMON)


def names(profile, *shown):
    """Return the chapters of each group."""
    every = [needs(chapter, profile) for chapter in shown]
    return [
        [need.notebook for need in every if not need.evaluated.keys().isdisjoint(keys)]
        for keys in groups(every)
    ]


def made(profile, *shown):
    every = [needs(chapter, profile) for chapter in shown]
    (keys,) = groups(every)
    return shares(keys, every, profile, 1, 20.0)


def test_chapters_of_public_networks_share_what_they_see():
    assert names(FULL, ERRORS, FOG, BORDER) == [["errors", "fog", "border"]]


def test_nobody_waits_for_a_training_that_is_not_his():
    assert names(FULL, ERRORS, TUNED, FOG) == [["errors", "fog"], ["tuned"]]
    assert names(MINI, ERRORS, FOG) == [["errors"], ["fog"]]


def test_other_images_and_other_numbers_of_images_are_shown_apart():
    hard = replace(FOG, notebook="hard", role="imagenet_a", shows=(OnCorruptions("imagenet_a"),))
    assert names(FULL, ERRORS, hard) == [["errors"], ["hard"]]
    fewer = FULL.model_copy(update={"training_limit": 5})
    assert len(names(fewer, ERRORS, replace(FOG, corruptions="training"))) == 2


def test_images_as_they_are_are_shared_by_those_who_see_the_same_roles():
    roles = OnImages(("imagenet_a", "imagenet_val_a"), "imagenet_a")
    hard = Chapter("hard", networks="imagenet_c", role="imagenet_a", shows=(roles,))
    (share,) = made(FULL, hard, replace(hard, notebook="sure"))
    assert (share.names, share.chapters) == (roles.roles, ("hard", "sure"))


def test_each_corruption_is_of_the_chapters_that_want_it():
    found = made(FULL, ERRORS, FOG, BORDER)
    by_name = {name: share.chapters for share in found for name in share.names}
    assert len(by_name) == sum(len(share.names) for share in found)
    assert by_name["fog"] == ("errors", "fog", "border")
    assert by_name["snow"] == ("errors",)
    assert by_name["border"] == ("border",)


def test_a_network_that_two_chapters_share_costs_once():
    both = {name: share.seconds for share in made(FULL, ERRORS, FOG) for name in share.names}
    assert both["fog"] == both["snow"]


CHOSEN = ("00_tour", "inc_2_mce", "overlap_2_balance_and_cover")


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Validation images and the archive, and a few networks with random weights."""
    folder = tiny.enter(tiny.real_layouts(tmp_path), monkeypatch)
    trees.class_folders(folder / "data" / "imagenet_val" / "val", per_class=1)
    trees.imagenet_c(folder / "data" / "imagenet_c", ["gaussian_noise", "fog"])
    few = {"alexnet": "alexnet", "resnet18": "resnet18", "squeezenet1_1": "squeezenet1_1"}
    tiny.change(
        folder / "data_manifests" / "profiles" / "full.yaml",
        networks=dict(FULL.networks) | {
            "imagenet_c": few | {"resnet50": "resnet18"},
            "balance": {"alexnet": "alexnet", "resnet50": "resnet34"},
        },
        device="cpu",
        workers=0,
        training_corruptions=["gaussian_noise", "fog"],
    )  # fmt: skip
    return folder


@pytest.fixture
def opened(project, monkeypatch):
    """How often each file was opened, by its path below the data folder."""
    found = Counter()
    reading = picture_files.open_picture

    def counted(path):
        found[path.relative_to(project / "data").as_posix()] += 1
        return reading(path)

    monkeypatch.setattr(picture_files, "open_picture", counted)
    return found


@pytest.mark.slow
def test_a_file_of_the_archive_is_opened_once_for_all_networks_of_all_chapters(
    project, opened, monkeypatch, capsys
):
    monkeypatch.setattr(plan, "ENOUGH", 0.0)  # a job a corruption, however few images
    records = [chapters.chapter(name) for name in CHOSEN]
    planned = plan.plan(load_profile("full_trained"), records, 1)
    jobs = [job for job in planned if job.kind == "predict" and not job.needs]
    jobs = [job for job in jobs if not {"gaussian_noise", "fog"}.isdisjoint(job.words)]
    assert [job.words[1:-2] for job in jobs] == [
        (*CHOSEN, "--corruptions", "gaussian_noise", "clean"),
        (*CHOSEN[1:], "--corruptions", "fog"),
    ]
    for job in jobs:
        told = tiny.command(monkeypatch, capsys, *job.words, "--profile", "full_trained")
        assert told[0] == 0, told
        assert "left out" not in told[1]
    cells = [path for path in opened if path.startswith("imagenet_c/")]
    assert len(cells) == 2 * 5 * len(trees.WNIDS)
    assert len(opened) == len(cells) + len(trees.WNIDS)
    assert set(opened.values()) == {1}, "a file was opened twice"
    for name in CHOSEN:
        asked = ["gaussian_noise"] if name == "00_tour" else ["gaussian_noise", "fog"]
        assert start(chapters.chapter(name), "full_trained", corruptions=asked).grid().cells
    assert set(opened.values()) == {1}, "what is stored was predicted once more"


@pytest.mark.slow
def test_a_network_that_cannot_be_had_costs_no_other_chapter_its_predictions(
    project, opened, monkeypatch, capsys
):
    path = project / "data_manifests" / "profiles" / "full.yaml"
    lacking = {"alexnet": "alexnet", "resnet50": "resnet50_ant3x3"}
    tiny.change(path, networks=dict(load_profile("full_trained").networks) | {"balance": lacking})
    words = (
        "predict",
        *CHOSEN[1:],
        "--corruptions",
        "fog",
        "--seeds",
        "1",
        "--profile",
        "full_trained",
    )
    status, printed, complaint = tiny.command(monkeypatch, capsys, *words)
    assert status == 0, complaint
    assert printed.startswith("resnet50_ant3x3 is left out: Expected ")
    assert "3 models, 4 images: fog." in printed


ENOUGH = 20.0


def test_bundles_hold_what_the_same_ones_want_as_far_as_it_is_enough():
    third = dict.fromkeys(("a1", "b1", "a2", "c1", "a3", "a4", "b2"), ENOUGH / 3)
    assert bundles(third, third.get, lambda name: name[0], ENOUGH) == [
        ("a1", "a2", "a3"),
        ("a4", "b1", "b2", "c1"),
    ]


def test_what_takes_long_is_a_bundle_of_its_own():
    seconds = {"a": 2 * ENOUGH, "b": 1.0, "c": 2.0, "d": 3 * ENOUGH}
    assert bundles(seconds, seconds.get, lambda name: "all", ENOUGH) == [("a",), ("b", "c", "d")]


def test_little_is_one_bundle():
    assert bundles("abc", lambda _: 1.0, lambda name: name, ENOUGH) == [("a", "b", "c")]
    assert bundles("", lambda _: 1.0, lambda name: name, ENOUGH) == []
