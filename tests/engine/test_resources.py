"""What jobs ask a cluster for: enough, and more where it was not."""

import pytest

from robust_book.engine import costs, plan
from robust_book.engine.jobs import Job
from robust_book.engine.resources import LONGEST, SHORTEST, Resources, resources
from robust_lib.config.profiles import load_profile
from robust_lib.run.chapter import Chapter, OnCorruptions

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
