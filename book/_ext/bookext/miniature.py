"""The miniature: how a scene is made, its classes, its networks; computed from code and runs."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType

import pandas as pd

from bookext.page import Page
from bookext.rows import MEASURES, measured, printed, profile_of
from robust_lib.config.manifests import load_dataset, load_model, model_names
from robust_lib.config.profiles import default_profile, load_profile
from robust_lib.errors import InputError, one_of
from robust_lib.html.markup import Html, lines, text
from robust_lib.html.table import table
from robust_lib.miniworld import camera, scenes
from robust_lib.miniworld.worlds import ART, World, load_world
from robust_lib.run.network import network_title

WORLD = "scenes"


def draw(page: Page, part: str | None = None) -> Html:
    """Return one part of the page.

    Raises:
        InputError: there is no such part.
    """
    if part not in PARTS:
        raise InputError(one_of("a part of the miniature", part, PARTS))
    return PARTS[part](page)


def scene(page: Page) -> Html:
    """Return the steps of a scene, with the constants of the code."""
    world, train, test = load_world(WORLD), load_dataset("scenes_train"), load_dataset("scenes_val")
    low, high = (f"{100 * end:.0f}" for end in scenes.TARGET)
    steps = {
        "Ground": f"A muted texture of {ART} × {ART} pixels, drawn by a formula.",
        "Clutter": f"None, one or two icons of the {len(world.outside)} things that are no class.",
        "Target": f"One drawing of one of the {len(world.inside)} classes, turned a little, "
        f"{low} to {high} % as wide as the picture, near its middle, with a shadow.",
        "Camera": f"Lens blur up to {camera.BLUR} pixels, an exposure off by up to "
        f"{camera.EXPOSURE} stops, a colour cast, grain, and JPEG of quality "
        f"{camera.QUALITY[0]} to {camera.QUALITY[1] - 1}.",
        "Split": f"{100 * scenes.HELD_OUT:.1f} % of a class's drawings, at least one, are held out "
        f"for testing. {train.images:,} scenes to train on and {test.images:,} to test on.",
    }
    told = "".join(f"<dt>{name}</dt><dd>{text(words)}</dd>" for name, words in steps.items())
    return Html(f'<dl class="rb-facts rb-steps">{told}</dl>')


def classes(page: Page) -> Html:
    """Return the classes, and what lies about in scenes without being one."""
    world = load_world(WORLD)
    return lines(
        f"<p><strong>{len(world.inside)} classes:</strong> {text(', '.join(world.inside))}.</p>",
        f"<p>{_sizes(world)}</p>",
        '<details class="rb-more"><summary>'
        f"{len(world.outside)} things that are no class</summary>"
        f"<p>{text(', '.join(world.outside))}.</p></details>",
    )


def _sizes(world: World) -> str:
    sizes = {name: len(names) for name, names in world.subsets.items()}
    return (
        f"{sizes['a']} of them stand for the 200 classes of ImageNet-A, and {sizes['o']} for those "
        "of ImageNet-O."
    )


def networks(page: Page) -> Html:
    """Return the networks of the corruption benchmark, a row each, beside the paper's."""
    profile = profile_of(page) or load_profile(default_profile())
    clean = MEASURES[0]
    ours, theirs = measured(page, clean), printed(clean)
    rows = []
    for paper, name in profile.networks.get("imagenet_c", {}).items():
        if name not in model_names():
            continue
        rows.append(
            {
                "Network": network_title(name),
                "Parameters, million": parameters(name) / 1e6,
                "Epochs": profile.epochs or _epochs(name),
                "This run|clean error": ours.get(name),
                "The paper|network": network_title(paper),
                "The paper|clean error": theirs.get(paper),
            }
        )
    return table(
        pd.DataFrame(rows),
        caption="Networks of the corruption benchmark; clean error in percent",
        decimals={"Parameters, million": 2},
    )


def _epochs(name: str) -> int | None:
    from robust_lib.training.recipes import recipe_of

    manifest = load_model(name)
    return recipe_of(manifest).epochs if manifest.recipe else None


@lru_cache(maxsize=64)
def parameters(name: str) -> int:
    """Return how many parameters a network has, by building it untrained."""
    from robust_lib.models import torch_models  # torch is slow to import, and few pages need it

    outputs = len(load_world(WORLD).inside)
    module = torch_models.build(torch_models.describe(name), outputs=outputs)
    return sum(one.numel() for one in module.parameters())


PARTS: Mapping[str | None, Callable[[Page], Html]] = MappingProxyType(
    {"scene": scene, "classes": classes, "networks": networks}
)
