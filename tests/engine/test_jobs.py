"""Jobs: what comes before what, what first, and how long all take."""

from robust_book.engine.jobs import (
    FIRST_LOOK,
    Job,
    finished_after,
    priorities,
    read,
    ready_after,
    up_to,
    write,
)


def job(name, *needs, seconds=10.0):
    return Job(name, "train", ("train", name), needs, seconds)


CHAIN = [job("a"), job("b", "a"), job("c", "b"), job("long", seconds=25.0), job("end", "c", "long")]


def test_a_job_brings_all_that_comes_before_it():
    assert [one.name for one in up_to(CHAIN, ["c"])] == ["a", "b", "c"]
    assert up_to(CHAIN, ["end"]) == tuple(CHAIN)


def test_a_job_is_ready_when_the_slowest_that_it_needs_is():
    assert ready_after(CHAIN) == {"a": 10, "b": 20, "c": 30, "long": 25, "end": 40}


def test_the_longest_way_to_the_end_comes_first():
    urgency = priorities(CHAIN)
    assert sorted(urgency, key=urgency.get, reverse=True) == ["a", "long", "b", "c", "end"]


def test_what_a_first_look_waits_for_comes_before_all_others():
    jobs = [job("slow", seconds=1000.0), job("quick"), job(FIRST_LOOK, "quick")]
    urgency = priorities(jobs)
    assert urgency["quick"] > urgency[FIRST_LOOK] > urgency["slow"]


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
    assert Job(FIRST_LOOK, "site", words["site"], (), 1.0).does == "render a first look"
