"""Pages of the chapters, whose pictures and networks are at hand."""

from dataclasses import replace

import torch

from robust_book import chapters
from robust_book.page import Page
from robust_lib.datasets.icons50 import Icons50
from robust_lib.predict.embed import embed
from robust_lib.preprocessing import Preprocessing
from robust_lib.protocols.surface_variation import held_out_subtypes
from robust_lib.run.start import start
from robust_lib.training.loop import Curves
from robust_lib.training.zoo import Trained
from tests.chapters.nao_4_attribution import objects
from tests.protocols.icons import BIRD, CLASSES, ICONS, Drawn
from tests.toys import Misbehaving, Swatches, SwatchFrames, brightest, means

SIDE = 32  # pixels: corruptions refuse smaller pictures


class Whole(Drawn):
    """The few icons, and as many flags as there are subtypes to hold out, each called by one."""

    @property
    def ids(self):
        flags = (f"flag/openmoji_1_{subtype}.png" for subtype in held_out_subtypes(self.name))
        return tuple(dict.fromkeys([*ICONS.ids, *flags]))


ICON_SETS = {"icons50": Icons50(Whole()), "cifar100_train": ICONS, "cifar100_test": ICONS}


def page(chapter, words=None, **models):
    """A page of a chapter in profile smoke, where swatches play every role but that of icons.

    Nothing is trained: asked for a network, the run has one that knows swatches, or one that takes
    every icon for a bird. `words` are said of the run instead of the profile's.
    """
    run = start(chapter.CHAPTER, "smoke")
    if words is not None:
        run = replace(run, profile=run.profile.model_copy(update={"words": words}))
    for role, name in run.profile.data.items():
        kind = SwatchFrames if role.startswith("imagenet_vid") else Swatches
        swatches = kind(count=30, side=SIDE, name=name)
        run._sets[role] = ICON_SETS.get(role, swatches)
    if run.chapter.networks == "nao":
        objects.show(run)
    # A cached property and methods: what is computed once, or put there.
    run.__dict__["models"] = models or {"brightest": (_network(run, "brightest"),)}
    run.__dict__["models_of"] = lambda wanted: {str(one): (_network(run, one),) for one in wanted}
    run.__dict__["trained"] = lambda wanted=None: [
        Trained(brightest(str(one)), Curves([2.0, 1.0], [0.25, 0.75]))
        for one in (run.networks if wanted is None else wanted)
    ]
    run.__dict__["embed"] = lambda images, network: embed(
        means(), run.image_set(images) if isinstance(images, str) else images
    )
    return Page(run)


def chapter_of(name):
    """The chapter whose module has a name, or holds what has it; what chapters share: the model."""
    for notebook in chapters.notebooks():
        found = chapters.module(notebook)
        if f"{name}.".startswith(f"{found.__name__}."):
            return found
    return chapters.module("inc_2_mce")


def _network(run, name):
    if not isinstance(run.images, Icons50):
        return brightest(str(name), preprocessing=Preprocessing(None, SIDE))
    every_bird = torch.nn.functional.one_hot(torch.tensor([BIRD]), len(CLASSES)).float()
    return Misbehaving(
        lambda images: every_bird.expand(len(images), -1),
        name=str(name),
        classes="icons50",
        outputs=len(CLASSES),
        preprocessing=Preprocessing(8, 8),
    )
