"""The plan: each thing once, nobody waits for what he does not show, no job without work."""

import itertools
from dataclasses import replace

import pytest

from robust_book.chapters import overlap_1_matrix
from robust_book.engine import costs
from robust_book.engine.jobs import SO_FAR, command, remaining, stamp, up_to
from robust_book.engine.plan import (
    ENOUGH,
    ENOUGH_DRAWN,
    IMPORTS,
    MOST,
    needed,
    of_chapters,
    plan,
)
from robust_lib.atomic import write_bytes
from robust_lib.config.profiles import load_profile
from robust_lib.errors import InputError
from robust_lib.run.chapter import (
    Chapter,
    OnBoxes,
    OnCorruptions,
    OnEmbeddings,
    OnImages,
)
from robust_lib.run.network import Network

TRAIN, BOXES = "imagenet_vid_train_boxes", "imagenet_vid_robust_boxes"

MINI, SMOKE, FULL = (load_profile(name) for name in ("mini", "smoke", "full_trained"))
HARD = OnImages(("imagenet_a", "imagenet_val_a"), "imagenet_a")

LOOK = Chapter("look")
TOUR = Chapter(
    "tour",
    networks="imagenet_c",
    shows=(OnCorruptions("imagenet_val"),),
    evaluates=("resnet18",),
    corruptions=("fog",),
    baseline=True,
)
ERRORS = Chapter("errors", networks="imagenet_c", shows=(OnCorruptions("imagenet_val"),))
MATRIX = Chapter(
    "matrix",
    networks="overlap",
    role="imagenet_100",
    shows=(OnCorruptions("imagenet_100"),),
    variants=overlap_1_matrix.networks,
    corruptions="training",
)
BALANCE = Chapter(
    "balance",
    networks="balance",
    role="balance",
    shows=(OnCorruptions("balance"),),
    corruptions="training",
    also=(MATRIX,),
)
NATURAL = [
    Chapter(name, networks="nae", role="imagenet_a", shows=(HARD,), every_image=True)
    for name in ("hard", "sure")
]
BOOK = [TOUR, LOOK, ERRORS, MATRIX, BALANCE, *NATURAL]
SHORT = [TOUR, ERRORS]


def planned(profile, *chapters, seeds=1):
    return {job.name: job for job in plan(profile, chapters, seeds)}


def trained(jobs):
    """Return each network that a job trains, with its seed, as often as one does."""
    words = [job.words for job in jobs.values() if job.kind == "train"]
    return [f"{name} {line[-1]}" for line in words for name in line[1:-2]]


@pytest.fixture(scope="module", params=["mini", "smoke", "full_trained"])
def book(request):
    return planned(load_profile(request.param), *BOOK)


def test_a_job_comes_after_those_that_it_needs(book):
    known = set()
    for job in book.values():
        assert set(job.needs) <= known
        known.add(job.name)


def test_a_network_is_trained_once_however_many_chapters_want_it(book):
    assert len(trained(book)) == len(set(trained(book)))


def test_a_job_has_work_unless_all_of_its_kind_is_little(book):
    for kind in ("draw", "train"):
        seconds = [job.seconds - IMPORTS for job in book.values() if job.kind == kind]
        # What other pictures have to be there for stays apart.
        waits = {job.needs for job in book.values() if job.kind == kind}
        least = {"draw": ENOUGH_DRAWN, "train": ENOUGH}[kind]
        assert sum(one < least for one in seconds) <= len(waits)


def test_every_network_of_every_seed_is_trained():
    found = trained(planned(SMOKE, MATRIX, seeds=2))
    names = [str(network) for network in MATRIX.all_networks(SMOKE)]
    assert sorted(found) == sorted(f"{name} {seed}" for name in names for seed in (0, 1))


def test_what_starts_from_a_network_is_trained_after_it_by_the_same_job():
    for seeds in (1, 2):
        jobs = planned(SMOKE, *NATURAL, seeds=seeds)
        lines = [job.words for job in jobs.values() if "resnet50_mini_a" in job.words]
        assert len(lines) == seeds
        for words in lines:
            assert words.index("resnet50_mini") < words.index("resnet50_mini_a")


def test_what_starts_from_a_network_and_takes_long_has_a_job_after_it():
    jobs = planned(MINI, *NATURAL, seeds=2)
    for seed, name in enumerate(("train-resnet50_mini_a", "train-resnet50_mini_a-1")):
        assert jobs[name].words == ("train", "resnet50_mini_a", "--seed", str(seed))
        start = "train-resnet50_mini" + "-1" * seed
        assert jobs[start].words[1:3] == ("resnet50_mini", "--seed")
        assert jobs[name].needs[-1] == start
        assert start in jobs["notebook-hard"].needs


def test_many_short_trainings_that_start_from_one_network_are_of_several_jobs():
    jobs = planned(MINI, MATRIX)
    alone = jobs["train-resnet18_small"]
    after = [job for job in jobs.values() if job.kind == "train" and alone.name in job.needs]
    assert len(after) > 2
    names = [word for job in (alone, *after) for word in job.words[1:-2]]
    lineage = ("resnet18_small", "resnet18_small_longer")
    of_its = [one for one in MATRIX.all_networks(MINI) if one.model in lineage]
    assert sorted(names) == sorted(map(str, of_its))
    assert all(job.seconds < MOST + IMPORTS + ENOUGH for job in (alone, *after))


def test_nothing_is_drawn_or_trained_that_is_there():
    jobs = planned(FULL, TOUR, LOOK, ERRORS)
    assert {job.kind for job in jobs.values()} == {"predict", "notebook", "site"}


def test_networks_take_the_gpu_of_a_profile_that_has_one():
    for job in planned(FULL, *BOOK).values():
        assert job.gpu == (job.kind in ("train", "predict"))
    assert not any(job.gpu for job in planned(MINI, *BOOK).values())


def test_a_chapter_waits_for_what_it_shows():
    jobs = plan(SMOKE, BOOK, 1)
    for name, kinds in (
        ("look", {"draw"}),
        ("tour", {"draw", "train"}),  # its own predictions are too few for a job
        ("matrix", {"draw", "train", "predict"}),
    ):
        before = up_to(jobs, [f"notebook-{name}"])
        assert {job.kind for job in before} == kinds | {"notebook"}
        assert len([job for job in before if job.kind == "notebook"]) == 1
    tour = up_to(plan(MINI, BOOK, 1), ["notebook-tour"])
    assert trained({job.name: job for job in tour}) == ["alexnet_mini 0", "resnet18_mini 0"]


def test_images_that_several_chapters_show_are_corrupted_once():
    jobs = planned(MINI, MATRIX, BALANCE)
    lines = [job.words for job in jobs.values() if job.kind == "predict"]
    assert {words[1:3] for words in lines} == {("matrix", "balance")}
    names = list(itertools.chain.from_iterable(words[4:-2] for words in lines))
    assert sorted(names) == sorted([*MATRIX.evaluated_corruptions(MINI), "clean"])
    for name in ("matrix", "balance"):
        needs = jobs[f"notebook-{name}"].needs
        assert {one for one in needs if one.startswith("predict")} == {
            job.name for job in jobs.values() if job.kind == "predict"
        }


def test_a_chapter_waits_for_the_networks_of_others_that_it_shows_too():
    alone = planned(SMOKE, BALANCE)
    assert {"resnet18_small+fog 0", "alexnet_small 0"} - {*trained(alone)} == {
        "resnet18_small+fog 0"
    }
    assert "resnet18_small+border 0" in trained(alone)


def test_equal_images_of_several_chapters_are_predicted_once():
    jobs = planned(MINI, *NATURAL)
    (job,) = (job for job in jobs.values() if job.kind == "predict")
    assert job.words == (
        "predict", "hard", "sure", "--roles", "imagenet_a", "imagenet_val_a", "--seeds", "1",
    )  # fmt: skip


def test_large_predictions_have_a_job_a_corruption():
    jobs = planned(FULL, ERRORS)
    predicts = [job for job in jobs.values() if job.kind == "predict"]
    assert len(predicts) == len(ERRORS.evaluated_corruptions(FULL))


def test_a_page_follows_each_chapter_and_the_whole_site_all_of_them():
    names = [chapter.notebook for chapter in BOOK]
    jobs = planned(MINI, *BOOK)
    for name in names:
        page = jobs[SO_FAR + name]
        assert (page.words, page.needs) == (("site", "--so-far"), (f"notebook-{name}",))
    assert jobs["site"].words[1:] == tuple(names)
    assert jobs["site"].needs == tuple(f"notebook-{name}" for name in names)


def test_a_short_plan_has_a_page_after_its_first_chapter_and_one_chapter_none():
    for chapters, pages in ((BOOK, [f"{SO_FAR}tour"]), ([TOUR], [])):
        jobs = planned(SMOKE, *chapters)
        assert [name for name in jobs if name.startswith("site")] == [*pages, "site"]


def test_some_chapters_alone_need_some_jobs_and_a_site_of_their_own():
    every = plan(SMOKE, BOOK, 1)
    some = {job.name: job for job in needed(every, ["look", "matrix"])}
    assert some["site"].words == ("site", "look", "matrix")
    assert some["site"].needs == ("notebook-look", "notebook-matrix")
    assert {name: job for name, job in some.items() if job.kind != "site"} == {
        job.name: job for job in up_to(every, ["notebook-look", "notebook-matrix"])
    }


def test_an_unknown_chapter_is_refused_with_those_that_there_are():
    with pytest.raises(InputError, match=r"chapter.*look.*inc_9"):
        needed(plan(SMOKE, BOOK, 1), ["look", "inc_9"])


def finish(jobs, home, more=""):
    for job in jobs:
        write_bytes(stamp(job.name, home), f"{command(job, home.name)}{more}\n9.0 s\n".encode())


def test_a_chapter_alone_trains_only_its_own_networks(tmp_path):
    alone = {job.name: job for job in of_chapters(SMOKE, [TOUR], SHORT, 1, tmp_path)}
    shared = {job.name: job for job in needed(plan(SMOKE, SHORT, 1), ["tour"])}
    own = {"alexnet_mini 0", "resnet18_mini 0"}
    assert set(trained(alone)) == own < set(trained(shared))


def test_a_chapter_of_a_finished_book_has_nothing_left_but_the_site(tmp_path):
    home, every = tmp_path / "smoke", plan(SMOKE, SHORT, 1)
    finish(every, home)
    again = of_chapters(SMOKE, [TOUR], SHORT, 1, home)
    assert again == needed(every, ["tour"])
    assert remaining(again, home) == again[-1].seconds  # the site, of all chapters so far
    finish(every, home, " --seeds 3")
    assert of_chapters(SMOKE, [TOUR], SHORT, 1, home) != again


def test_chapters_that_are_made_in_turn_do_not_undo_each_other(tmp_path):
    home, turns = tmp_path / "smoke", (TOUR, replace(TOUR, notebook="vgg", evaluates=("vgg11",)))
    for chapter in turns:
        finish(of_chapters(SMOKE, [chapter], [*turns, ERRORS], 1, home), home)
    for chapter in turns:
        *others, site = of_chapters(SMOKE, [chapter], [*turns, ERRORS], 1, home)
        assert (remaining(others, home), site.kind) == (0, "site")
        known = {job.name for job in others}
        assert all(known.issuperset(job.needs) for job in (*others, site))


def test_the_number_of_seeds_goes_to_the_notebooks_and_predictions():
    jobs = planned(MINI, ERRORS, seeds=3)
    assert jobs["notebook-errors"].words == ("run", "errors", "-p", "seeds", "3", "--into-book")
    for job in jobs.values():
        assert job.kind != "predict" or job.words[-2:] == ("--seeds", "3")


def test_no_two_jobs_have_one_name():
    jobs = plan(MINI, BOOK, 2)
    assert len({job.name for job in jobs}) == len(jobs)


def test_detectors_are_trained_after_their_drawings_and_asked_for_boxes():
    data = {
        TRAIN: "clips_train_large",
        BOXES: "clips_val_large",
    }
    section = {"detection": {"rfcn": "rfcn_resnet101_mini", "frcnn": "fasterrcnn_resnet50_mini"}}
    profile = MINI.model_copy(
        update={"data": MINI.data | data, "networks": MINI.networks | section, "limit": None}
    )
    boxes = Chapter(
        "boxes",
        networks="detection",
        role=BOXES,
        shows=(OnBoxes((BOXES,)),),
    )
    jobs = planned(profile, boxes)
    assert "rfcn_resnet101_mini 0" in trained(jobs)
    (predict,) = (job for job in jobs.values() if job.kind == "predict")
    assert predict.words == (
        "predict",
        "boxes",
        "--boxes",
        BOXES,
        "--seeds",
        "1",
    )
    before = up_to(list(jobs.values()), [predict.name])
    assert {job.kind for job in before} == {"draw", "train", "predict"}
    frames = costs.images("clips_val_large", profile)
    assert predict.seconds == IMPORTS + costs.predicting(
        [Network(name) for name in section["detection"].values()], frames
    )


def test_embeddings_are_the_notebooks_own_work():
    shown = OnEmbeddings(("imagenet_val",))
    chapter = Chapter("a", networks="imagenet_c", evaluates=("resnet50",), shows=(shown,))
    jobs = planned(MINI.model_copy(update={"limit": None}), chapter)
    assert not [job for job in jobs.values() if job.kind == "predict"]
    alone = planned(MINI, replace(chapter, shows=()))
    longer = jobs["notebook-a"].seconds - alone["notebook-a"].seconds
    images = costs.images("scenes_val", MINI)
    assert longer == pytest.approx(costs.predicting([Network("resnet50_mini")], images))
