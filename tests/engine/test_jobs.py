"""Jobs: what comes before what, what first, how long all take, and what they ask a cluster for."""

import pytest

from robust_book.engine import costs, plan
from robust_book.engine.jobs import (
    LONGER,
    LONGEST,
    SHORTEST,
    SO_FAR,
    Job,
    Resources,
    finished_after,
    in_order,
    read,
    resources,
    up_to,
    write,
)
from robust_lib.config.profiles import load_profile
from robust_lib.run.chapter import Chapter, OnCorruptions


def job(name, *needs, seconds=10.0):
    return Job(name, "train", ("train", name), needs, seconds)


CHAIN = [job("a"), job("b", "a"), job("c", "b"), job("long", seconds=25.0), job("end", "c", "long")]


def test_a_job_brings_all_that_comes_before_it():
    assert [one.name for one in up_to(CHAIN, ["c"])] == ["a", "b", "c"]
    assert up_to(CHAIN, ["end"]) == tuple(CHAIN)


def test_the_longest_way_to_the_end_comes_first():
    assert in_order(CHAIN, 2) == ("a", "long", "b", "c", "end")


def chapter(name, *needs, seconds=10.0):
    return Job(name, "notebook", ("run", name), needs, seconds)


BOOK = [
    job("shared", seconds=100.0),
    *(job(f"train-{name}", "shared", seconds=seconds) for name, seconds in
      (("tour", 300.0), ("dear", 900.0), ("cheap", 200.0), ("middle", 400.0))),
    *(chapter(name, f"train-{name}") for name in ("tour", "dear", "cheap", "middle")),
]  # fmt: skip


def test_chapters_are_done_one_by_one_the_first_and_then_the_cheap_ones():
    done = finished_after(BOOK, 1)
    assert sorted(("tour", "dear", "cheap", "middle"), key=done.get) == [
        "tour", "cheap", "middle", "dear",
    ]  # fmt: skip
    assert done["tour"] == 410
    assert done["dear"] == sum(each.seconds for each in BOOK), "no core is idle"


@pytest.mark.parametrize("cores", [1, 2, 3, 4, 8])
def test_it_costs_three_percent_at_most_whatever_the_cores(cores):
    """Beside many cheap chapters, one whose trainings wait for each other must begin in time."""
    chain = [job("link-0")] + [job(f"link-{n}", f"link-{n - 1}", seconds=60.0) for n in range(1, 9)]
    cheap = [job(f"one-{n}", seconds=50.0) for n in range(12)]
    jobs = [*chain, *cheap, *(chapter(f"cheap-{n}", f"one-{n}") for n in range(12))]
    jobs.append(chapter("long", "link-8"))
    least = max(sum(each.seconds for each in jobs) / cores, 10 + 8 * 60 + 10)
    end = max(finished_after(jobs, cores).values())
    assert end <= max(LONGER * least, least + 60)  # a core may be idle for the last job's time
    first = finished_after(jobs, cores)["cheap-0"]
    assert first <= 130, "and yet the reader need not wait for it"


def test_a_page_waits_for_nothing_but_another_page():
    jobs = [chapter("one"), chapter("two"), job("slow", seconds=500.0)]
    jobs += [Job(SO_FAR + name, "site", ("site",), (name,), 20.0) for name in ("one", "two")]
    done = finished_after(jobs, 2)
    assert (done["one"], done["two"]) == (10, 10)
    assert (done[f"{SO_FAR}one"], done[f"{SO_FAR}two"]) == (30, 50)


def test_times_are_those_of_so_many_cores():
    assert max(finished_after(CHAIN, 1).values()) == 65
    assert finished_after(CHAIN, 2) == {"a": 10, "b": 20, "long": 25, "c": 30, "end": 40}


def test_what_is_done_costs_no_time():
    assert finished_after(CHAIN, 2, done=["a", "b", "long"]) == {"c": 10, "end": 20}
    assert finished_after(CHAIN, 2, done=[one.name for one in CHAIN]) == {}


def test_jobs_are_read_as_they_were_written(tmp_path):
    jobs = (job("a"), job("b", "a", seconds=0.5))
    write(jobs, tmp_path / "plan.json")
    assert read(tmp_path / "plan.json") == jobs


def test_what_a_job_does_is_said_in_few_words():
    words = {
        "draw": ("draw", "imagenet_val"),
        "train": ("train", "resnet18_mini", "resnet18_mini+fog", "--seed", "1"),
        "predict": ("predict", "inc_2_mce", "--corruptions", "fog", "snow", "--seeds", "1"),
        "notebook": ("run", "inc_2_mce", "-p", "seeds", "1"),
        "site": ("site", "00_tour", "inc_2_mce"),
    }
    assert [Job(kind, kind, said, (), 1.0).does for kind, said in words.items()] == [
        "draw imagenet_val",
        "train resnet18_mini and 1 more",
        "predict fog and 1 more",
        "execute inc_2_mce",
        "render the site",
    ]
    assert Job(f"{SO_FAR}tour", "site", words["site"], (), 1.0).does == "render the site so far"


JOB = Job("predict-a", "predict", ("predict", "a"), (), 3600.0, True, 4000, 9)


def test_a_job_asks_for_four_times_what_it_should_take():
    assert resources(JOB) == Resources(4000, 240, 9)


@pytest.mark.parametrize("attempt", [2, 3])
def test_each_further_attempt_asks_for_as_much_again(attempt):
    assert resources(JOB, attempt) == Resources(attempt * 4000, attempt * 240, 9)


def test_no_job_asks_for_less_than_imports_take_or_for_more_than_clusters_give():
    short, long = (Job("a", "train", (), (), seconds) for seconds in (1.0, 1e6))
    assert resources(short).runtime == SHORTEST
    assert resources(long, 3).runtime == LONGEST


@pytest.mark.parametrize("name", ["mini", "full"])
def test_every_planned_job_has_its_memory_and_the_cores_of_its_readers(name):
    profile = load_profile(name)
    shows = (OnCorruptions("imagenet_val"),)
    chapter = Chapter("errors", networks="imagenet_c", shows=shows, baseline=True)
    jobs = plan.plan(profile, [chapter], 1)
    assert {job.kind for job in jobs} >= {"predict", "notebook", "site"}
    for job in jobs:
        assert job.memory == costs.memory(job.kind, profile, gpu=job.gpu)
        assert job.cores == (1 + profile.workers if job.gpu else 1)


def test_more_networks_and_images_need_more_memory():
    full = load_profile("full")
    half = full.model_copy(update={"networks": {"imagenet_c": {"resnet50": "resnet50"}}})
    assert costs.memory("predict", half) < costs.memory("predict", full)
    assert costs.memory("draw", half) == costs.memory("draw", full)
    assert costs.memory("train", full, gpu=True) > costs.memory("train", full)
