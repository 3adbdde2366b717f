"""Networks of a pack stand for trainings, exactly where they are what would be trained."""

import json
import re
import shutil

import numpy as np
import pytest
import torch
import yaml

from robust_book.chapters import chapter
from robust_book.commands import taken
from robust_book.commands.release.networks import ALONE, WITH_PREDICTIONS
from robust_book.engine import pace, pack
from robust_book.engine.jobs import FOUND, Job
from robust_book.engine.plan import LONG, sites
from robust_lib.cache import Store, content_key
from robust_lib.config.manifests import load_model
from robust_lib.config.profiles import load_profile
from robust_lib.errors import RunError
from robust_lib.run.network import Network
from robust_lib.run.networks import severities_of
from robust_lib.run.start import start
from robust_lib.run.trainings import Training
from robust_lib.training import zoo
from tests import tiny
from tests.engine import packs

PREDICT = Job("predict-one", "predict", ("predict", "one", "--roles", "a"), (), 60.0)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    return packs.trained(tmp_path_factory)


@pytest.fixture
def release(trained, tmp_path, monkeypatch):
    tiny.enter(trained, monkeypatch)
    return packs.packs(trained, tmp_path / "release")


@pytest.fixture
def store(release, tmp_path, monkeypatch):
    """A build with nothing in it, beside the pack's."""
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path / "build"))
    (tmp_path / "build" / "cache").mkdir(parents=True)
    return Store(tmp_path / "build" / "cache" / "store")


@pytest.fixture
def trainings(monkeypatch):
    """The names of networks that are trained from now on."""
    names, train = [], zoo.train

    def counting(*given, name, **named):
        names.append(name)
        return train(*given, name=name, **named)

    monkeypatch.setattr(zoo, "train", counting)
    return names


def take(release, name=ALONE):
    return taken.take(pack.opened(release / name), [packs.JOB], tiny.PROFILE)


def all_made():
    run = taken.training_run(packs.NAMES, tiny.PROFILE)
    return [one.model.fingerprint for one in run.trained(run.networks)]


def recipe(root, name, **values):
    file = root / "data_manifests" / "recipes.yaml"
    recipes = yaml.safe_load(file.read_text("utf-8"))
    recipes[name] |= values
    file.write_text(yaml.safe_dump(recipes, sort_keys=False), "utf-8")


def test_what_fits_is_taken_and_is_the_network_that_training_would_make(
    release, store, trainings, trained, monkeypatch
):
    found = take(release, WITH_PREDICTIONS)
    assert [*map(str, found.fitting)] == list(packs.NAMES)
    assert [*found.lines()] == [
        f"{WITH_PREDICTIONS} (toy 1.2.0, profile tiny): 3 of 3 networks are taken from this pack, "
        "and 3 sets of predictions."
    ]
    here = all_made()
    assert store.get(content_key(packs.ANSWER))["predicted"].tolist() == [0, 1, 2]
    again = take(release)
    assert next(again.lines()).endswith(
        "0 of 3 networks are taken from this pack, 3 are stored already."
    )
    monkeypatch.setenv("ROBUST_BUILD", str(trained / "build"))
    assert here == all_made()
    assert trainings == []


def test_what_has_another_recipe_is_trained_and_so_is_what_starts_from_it(
    release, store, trained, tmp_path, monkeypatch, trainings
):
    for name in ("data_manifests", "notebooks"):
        shutil.copytree(trained / name, tmp_path / "other" / name)
    monkeypatch.setenv("ROBUST_ROOT", str(tmp_path / "other"))
    recipe(tmp_path / "other", load_model("resnet18_mini").recipe, rate=0.05)
    found = take(release)
    assert {str(one): why for one, why in found.lacking.items()} == {
        "resnet18_mini": "a different recipe",
        "resnet18_mini_tuned": "it starts from resnet18_mini, which is trained here",
    }
    assert [*found.lines()][1:] == [
        "Trained here, 1: resnet18_mini: a different recipe.",
        "Trained here, 1: resnet18_mini_tuned: it starts from resnet18_mini, which is trained "
        "here.",
    ]
    all_made()
    assert trainings == ["resnet18_mini (seed 0)", "resnet18_mini_tuned (seed 0)"]


def test_a_processor_of_the_other_kind_takes_them_and_its_own_networks_stay_its_own(
    release, store, trainings, monkeypatch
):
    """Without bfloat16 networks are trained in float32: under another key."""
    has = zoo.precision.computes_in_bfloat16("cpu")
    monkeypatch.setattr(zoo.precision, "computes_in_bfloat16", lambda device: not has)
    taken.training_run(["alexnet_mini"], tiny.PROFILE).trained()
    assert trainings == ["alexnet_mini (seed 0)"]
    found = take(release)
    assert [*map(str, found.before)] == ["alexnet_mini"]
    assert found.lacking == {}
    all_made()
    assert trainings == ["alexnet_mini (seed 0)"]
    monkeypatch.setattr(zoo.precision, "computes_in_bfloat16", lambda device: has)
    # What was trained here in the other precision is no network of this one.
    taken.training_run(["alexnet_mini"], tiny.PROFILE).trained()
    assert trainings == ["alexnet_mini (seed 0)"] * 2


def test_the_plan_has_the_minutes_of_what_is_left(release, store):
    profile = load_profile(tiny.PROFILE)
    found = take(release, WITH_PREDICTIONS)
    jobs = [packs.JOB, PREDICT, Job("notebook-one", "notebook", ("run", "one", "-p"), (), 50.0)]
    assert [one.seconds for one in taken.planned(jobs, found, profile)] == [FOUND, FOUND, 18.0]
    found.lacking[Network("resnet18_mini")] = "a different recipe"
    train, *others = taken.planned(jobs, found, profile)
    assert FOUND < train.seconds < packs.JOB.seconds
    assert others == jobs[1:]
    assert [*taken.planned(jobs, take(release), profile)[1:]] == jobs[1:]


def test_a_plan_that_is_short_with_a_pack_renders_the_site_as_seldom_as_a_short_plan(
    release, store
):
    profile = load_profile(tiny.PROFILE)
    found = take(release, WITH_PREDICTIONS)
    chapters = [
        Job(f"notebook-{name}", "notebook", ("run", name, "-p"), (), seconds)
        for name, seconds in {"one": LONG, "other": 50.0}.items()
    ]
    jobs = [packs.JOB, *chapters, *sites(chapters)]
    names = [one.name for one in jobs]
    assert len(names) == 6
    assert [one.name for one in taken.planned(jobs, found, profile)] == [*names[:4], names[5]]
    found.lacking[Network("resnet18_mini")] = "a different recipe"
    assert [one.name for one in taken.planned(jobs, found, profile)] == names


def test_networks_that_are_trained_again_have_the_same_bits(release, store, trainings):
    said = []
    taken.retrain(take(release), 5, load_profile(tiny.PROFILE), said.append)
    assert sorted(trainings) == [f"{name} (seed 0)" for name in sorted(packs.NAMES)]
    assert sorted(said[1:]) == [f"{name}: the same bits." for name in sorted(packs.NAMES)]


def foreign(release, tmp_path):
    """Return a pack with a network of other weights, whose checksums all fit."""
    folder = packs.unpacked(release / ALONE, tmp_path / "unpacked")
    original = pack.opened(release / ALONE)
    key = next(k for k, one in original.descriptions.items() if one["model"] == "alexnet_mini")
    packs.change(
        folder,
        key,
        lambda arrays: {
            name: np.zeros_like(one) if name.startswith("weight:") else one
            for name, one in arrays.items()
        },
    )
    return pack.opened(packs.zipped(folder)), key


def test_a_foreign_network_is_found_and_nothing_of_its_pack_stays(release, store, tmp_path):
    other, key = foreign(release, tmp_path)
    found = taken.take(other, [packs.JOB], tiny.PROFILE)
    assert store.has(key)
    refused = r"Refused networks\.zip .*: training alexnet_mini again .* different bits on the same"
    with pytest.raises(RunError, match=refused):
        taken.retrain(found, 3, load_profile(tiny.PROFILE), print)
    assert not any(store.has(one) for one in found.fitting.values())


@pytest.mark.parametrize(("theirs", "holds"), [(0.93, True), (0.92, False)])
def test_on_another_kind_of_processor_accuracies_decide(
    release, store, tmp_path, monkeypatch, theirs, holds
):
    """Three standard errors of 95 % and about 93 % of 2,000 images are 2.2 points."""
    other, _ = foreign(release, tmp_path)
    found = taken.take(other, [packs.JOB], tiny.PROFILE)
    monkeypatch.setattr(pace, "name", lambda jobs: "another processor")

    def correct(self, made):
        weights = torch.cat([one.flatten() for one in made.module.parameters()])
        return np.arange(2000) < 2000 * (0.95 if weights.any() else theirs)

    monkeypatch.setattr(Training, "correct", correct)
    only = taken.Taken(
        found.pack, {Network("alexnet_mini"): found.fitting[Network("alexnet_mini")]},
        trainings=found.trainings,
    )  # fmt: skip
    if holds:
        taken.retrain(only, 1, load_profile(tiny.PROFILE), print)
        return
    with pytest.raises(RunError, match=r"95\.0 %.*2000 training.*here, 92"):
        taken.retrain(only, 1, load_profile(tiny.PROFILE), print)


@pytest.mark.soak
def test_a_book_trains_nothing_that_its_pack_has(release, trained, tmp_path):
    build = {"ROBUST_BUILD": str(tmp_path / "build")}
    words = ("book", "00_tour", "--profile", tiny.PROFILE, "--until", "train", "--jobs", "2")
    pack_given = ("--networks", str(release / ALONE))
    done = tiny.robust(trained, *words, *pack_given, env=build)
    assert done.returncode == 0, done.stdout + done.stderr
    counted = (
        r"networks\.zip \(toy 1\.2\.0, profile tiny\): 2 of \d+ networks are taken from this pack"
    )
    assert re.search(counted, done.stdout), done.stdout
    store = Store(tmp_path / "build" / "cache" / "store")
    keys = [path.stem for path in store.folder.glob("*/*.json")]
    assert {store_entry(store, key)["model"] for key in keys if store.is_taken(key)} == {
        "alexnet_mini", "resnet18_mini"
    }  # fmt: skip


def store_entry(store, key):
    return json.loads((store.folder / key[:2] / f"{key}.json").read_text())["description"]


def test_a_network_is_trained_at_the_severities_at_which_its_chapters_ask_for_it():
    own, added = "resnet50_mini_shot_noise", "resnet18_small+fog"
    run = taken.training_run([own, added], "mini")
    trained = {str(one): severities_of(one, run.profile) for one in run.networks}
    video = start(chapter("vid_2_classification"), "mini", models=[own])
    assert trained[own] == severities_of(video.networks[0], video.profile) == (1, 2, 3, 4, 5)
    overlap = start(chapter("overlap_1_matrix"), "mini")
    assert (
        trained[added]
        == severities_of(Network("resnet18_small", corruption="fog"), overlap.profile)
        == (4, 5)
    )
    mild = start(chapter("overlap_1_matrix"), "mini", severities=[1, 2])
    assert severities_of(Network("resnet18_small", corruption="fog"), mild.profile) == (1, 2)
