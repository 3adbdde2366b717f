"""Real networks on photographs: brought or left out, and told with what they cannot carry."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from robust_book.chapters import inc_2_mce, photographs, tour
from robust_book.html.markup import Html
from robust_lib.config.manifests import load_dataset
from robust_lib.datasets.image_folder import load_photographs
from robust_lib.errors import FetchError
from robust_lib.models.adapter import wrap_callable
from robust_lib.preprocessing import Preprocessing
from robust_lib.results.estimate import Estimate
from robust_lib.results.table import Results
from robust_lib.run.start import start
from tests import trees
from tests.chapters import pages, toys


def says(label):
    """Return a function that is sure of one class, whatever it is shown."""

    def answer(images):
        logits = np.zeros((len(images), 1000), np.float32)
        logits[:, label] = 5.0
        return logits

    return answer


@pytest.fixture
def begun(tmp_path, monkeypatch):
    """A run on the six open photographs: one network sees espresso everywhere, one tabbies."""
    for seed, file in enumerate(load_dataset("photographs_open").files):
        trees.save(tmp_path / "photographs_open" / file.name, seed, 64, 64)
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path))
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path / "build"))
    run = start(inc_2_mce.CHAPTER, "photos_few", corruptions=["gaussian_noise"])
    images = load_photographs("photographs_open")
    run._sets.update({"imagenet_val": images, photographs.OPEN: images})
    seen = Preprocessing(None, 224)
    run.__dict__["models"] = {
        name: (wrap_callable(says(label), name, "imagenet_1k", seen, outputs=1000),)
        for name, label in (("efficientnet_lite0", 967), ("efficientnet_lite2", 281))
    }
    return run


def test_the_slider_shows_open_photographs_alone_and_what_each_network_says(begun, monkeypatch):
    monkeypatch.setattr(photographs, "begun", lambda page, corruptions: begun)
    page = pages.page(tour, "toys")
    made = photographs.by_severity(page).markup
    assert {name.partition("/")[2] for name in photographs.SHOWN} == {
        "coffee.png", "n02123597_284_Siamese_cat.jpg", "chelsea.png"
    }  # fmt: skip
    shown = re.findall(r"_static/results/(photograph-[^\"]+)", made)
    assert len(shown) == len(set(shown)) == 3 * 6
    assert set(shown) <= set(page._figures)
    coffee = made[made.index("photograph-coffee-5") :]
    told = re.findall(r"<b[^>]*>.*?</b>", coffee[: coffee.index("</figure>")])
    assert ["rb-wrong" in one for one in told] == [False, True]
    assert 'id="fig-photographs"' in made


def test_without_pip_the_page_is_made_without_them_and_says_so(monkeypatch):
    def offline(run):
        raise FetchError("pip could not bring foolbox==3.3.4: no <index>. Check the network.")

    monkeypatch.setattr(photographs, "bring", offline)
    page = pages.page(inc_2_mce, "toys")
    said = photographs.errors(page).markup
    assert "could not bring foolbox==3.3.4: no &lt;index&gt;): it shows the miniature alone" in said
    assert page._without == ["photos_few"]
    profile = page.run.profile.model_copy(update={"beside": None})
    alone = replace(page, run=replace(page.run, profile=profile))
    assert photographs.by_severity(alone) == Html("<p>This run shows its own images only.</p>")


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ((-0.133, -0.021), "B is 7.7 points better than A [2.1, 13.3], on 26 photographs."),
        ((0.021, 0.133), "B is 7.7 points worse than A [2.1, 13.3], on 26 photographs."),
        ((-0.16, 0.006), "B and A cannot be distinguished [−16.0, 0.6], on 26 photographs."),
    ],
)
def test_a_difference_is_told_by_its_interval(ends, said):
    value = 0.077 if ends[0] > 0 else -0.077
    found = Estimate(value=value, low=ends[0], high=ends[1], n=26, n_full=26)
    assert photographs.difference_words("B", "A", found) == said


@pytest.mark.parametrize(
    ("high", "said"), [(1.5, "these photographs do not show"), (0.9, "so few")]
)
def test_what_few_photographs_cannot_say_follows_their_interval(high, said):
    rows = toys.rows("inc-tab2", "relative_mce", {"net": 0.7})
    rows = Results.of(replace(row, low=0.5, high=high) for row in rows.rows)
    seen = SimpleNamespace(results=rows, grid=SimpleNamespace(models=("net",), images=26))
    assert said in photographs._limits(seen)
    assert f"anywhere between 50 and {100 * high:.0f} %" in photographs._limits(seen)
