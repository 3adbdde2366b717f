"""Surface variation on a few icons whose answers are known."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest

from robust_lib.chapters import icons50_shown
from robust_lib.config.class_lists import load_classes
from robust_lib.config.manifests import load_model
from robust_lib.datasets.hold_outs import named
from robust_lib.datasets.icons50 import Icons50
from robust_lib.errors import InputError
from robust_lib.metrics.intervals import clopper_pearson
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols import surface_variation
from robust_lib.results.compare import compare
from robust_lib.results.table import Results
from robust_lib.training.recipes import load_recipe

CLASSES = load_classes("icons50")
BIRD, HAT = CLASSES.folders.index("bird"), CLASSES.folders.index("hat")


@dataclass(frozen=True, eq=False)
class Drawn:
    """Two classes, three vendors, two of them with two renditions, three subtypes."""

    name: str = "icons50_open"
    classes: str = "icons50"
    digest: str = "drawn"

    @property
    def class_names(self):
        return CLASSES.names

    @cached_property
    def ids(self):
        vendors = {"google": (1, 2), "microsoft": (1, 2), "openmoji": (1,)}
        subtypes = {"bird": ("duck", "owl", "penguin"), "hat": ("womans_hat", "cap", "crown")}
        return tuple(
            f"{folder}/{vendor}_{rendition}_{subtype}.png"
            for folder, names in subtypes.items()
            for vendor, renditions in vendors.items()
            for rendition in renditions
            for subtype in names
        )

    @cached_property
    def labels(self):
        return np.array([CLASSES.folders.index(path.split("/")[0]) for path in self.ids], np.int64)

    def __len__(self):
        return len(self.ids)

    def read(self, index, preprocessing):
        return np.full((preprocessing.crop or 8, preprocessing.crop or 8, 3), index, np.uint8)


ICONS = Icons50(Drawn())
HELD = surface_variation.protocols()


def said(hold_out, wrong, model="net"):
    """Predictions of a network that takes the first `wrong` icons held out for the other class."""
    test = named(ICONS.icons, hold_out, ["duck", "womans_hat"]).test
    labels = ICONS.labels[test]
    other = np.where(labels == BIRD, HAT, BIRD)
    predicted = np.where(np.arange(len(test)) < wrong, other, labels)
    ids = tuple(ICONS.ids[place] for place in test)
    confidence = np.full(len(test), 0.9, np.float32)
    return Predictions(model, "icons50_open", ids, labels, None, predicted, confidence)


def answers(*wrong, names=("style", "version", "subtype")):
    return {
        HELD[name]: {"net": tuple(said(HELD[name], count) for count in wrong)} for name in names
    }


def test_one_seed_has_the_exact_interval_over_icons():
    found = surface_variation.results(answers(3), HELD, ICONS, "exact")
    row = found.row(item="inc-icons-style", metric="accuracy")
    assert (row.n, row.n_full, row.dataset, row.model) == (12, 12, "icons50_open_style", "net")
    assert row.value == pytest.approx(9 / 12)
    assert (row.low, row.high) == pytest.approx(clopper_pearson(9, 12))
    assert row.convention == "style:microsoft, exact match, last epoch"


def test_several_seeds_go_from_the_least_to_the_greatest():
    found = surface_variation.results(answers(0, 3, 6), HELD, ICONS, "exact")
    row = found.row(item="inc-icons-style")
    assert (row.low, row.value, row.high) == pytest.approx((0.5, 0.75, 1.0))


def test_rows_are_compared_with_the_papers():
    found = surface_variation.results(answers(3), HELD, ICONS, "exact")
    roles = {f"icons50_{name}": f"icons50_open_{name}" for name in HELD}
    verdicts = compare(found, "inc-icons-style", roles={"resnet20": "net"}, datasets=roles)
    (number,) = [v for v in verdicts if v.model == "resnet20" and v.metric == "accuracy"]
    assert (number.verdict, number.ours) == ("not comparable", pytest.approx(0.75))
    (gap,) = [v for v in verdicts if "icons50_version" in v.metric]
    assert gap.verdict in ("holds", "does not hold")


def test_the_authors_rule_has_names_of_its_own():
    assert surface_variation.protocols("google", "authors") == {
        "style": "style:google:authors",
        "version": "version:authors",
        "subtype": "subtypes:authors",
    }


def test_another_rule_is_refused():
    with pytest.raises(InputError, match="match to be one of authors, exact, but got author"):
        surface_variation.protocols("google", "author")


def test_every_vendor_in_turn():
    assert surface_variation.every_style(ICONS) == [
        "style:google",
        "style:microsoft",
        "style:openmoji",
    ]
    assert surface_variation.every_style(ICONS, ["google"]) == ["style:google"]
    assert surface_variation.every_style(ICONS, '["google"]') == ["style:google"]
    with pytest.raises(InputError, match="style to be one of google, microsoft, openmoji"):
        surface_variation.every_style(ICONS, ["lg"])
    found = surface_variation.leave_one_out(
        {"style:openmoji": {"net": (said("style:openmoji", 2),)}}, ["style:openmoji"], ICONS, "net"
    )
    (row,) = found.rows
    assert (row.dataset, row.n) == ("icons50_open_style/openmoji", 6)
    assert row.value == pytest.approx(4 / 6)


def test_a_sample_shows_a_class_by_several_vendors():
    places = icons50_shown.sample(ICONS, classes=2, each=3)
    shown = [ICONS.icons[place] for place in places]
    assert [icon.label for icon in shown] == [BIRD] * 3 + [HAT] * 3
    assert {icon.style for icon in shown[:3]} == {"google", "microsoft", "openmoji"}
    assert ICONS.names(places)[0] == "Bird"
    assert [picture[0, 0, 0] for picture in ICONS.shown(places)] == places


def test_mistakes_come_first_in_what_was_said():
    told = icons50_shown.said((said("style:microsoft", 2),), ICONS, BIRD, most=4)
    assert told.words == ("Hat", "Hat", "\N{CHECK MARK} Bird", "\N{CHECK MARK} Bird")
    assert [ICONS.icons[place].style for place in told.places] == ["microsoft"] * 4


def test_a_class_that_is_not_held_out_has_nothing_to_show():
    with pytest.raises(InputError, match="icons of the class Airplane among those held out"):
        icons50_shown.said((said("style:microsoft", 2),), ICONS, 0)


def test_a_class_is_known_by_its_name():
    assert surface_variation.label_of(ICONS, "Hat") == HAT
    with pytest.raises(InputError, match="a class to be one of Airplane"):
        surface_variation.label_of(ICONS, "hat")


def test_facts_stand_beside_the_papers():
    network, recipe = load_model("resnet20_mini"), load_recipe("icons_sgd")
    facts = surface_variation.facts(ICONS, network, recipe)
    assert facts.row(metric="images").value == 30
    assert facts.row(metric="images_per_class").value == 15
    assert facts.row(metric="held_out_subtypes").value == 50
    assert facts.row(metric="epochs").value == recipe.epochs


def test_side_effects_of_all_three_words():
    effects = {effect.word: effect for effect in surface_variation.side_effects(ICONS, "google")}
    assert effects["google"].besides == 0
    assert (effects["_2"].meant, effects["_2"].besides) == (12, 0)
    assert len(effects) == 52


def test_the_prose_names_the_first_network_and_the_ends_of_the_vendors():
    found = surface_variation.results(answers(3), HELD, ICONS, "exact")
    names = ["style:google", "style:openmoji"]
    left = surface_variation.leave_one_out(
        {name: {"net": (said(name, wrong),)} for name, wrong in zip(names, (1, 5), strict=True)},
        names,
        ICONS,
        "net",
    )
    numbers = icons50_shown.key_numbers(found, left, "net")
    assert numbers["style"].text == "75.0 %"
    assert numbers["worst_style"].text.startswith("openmoji, ")
    assert numbers["best_style"].text.startswith("google, ")
    assert isinstance(found + left, Results)
