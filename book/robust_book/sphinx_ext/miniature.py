"""The miniature: steps of an image, classes and networks, computed from code and runs."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType

import pandas as pd

from robust_book.html.markup import Html, lines, text
from robust_book.html.table import table
from robust_book.sphinx_ext.networks import MEASURES, measured, printed, profile_of
from robust_book.sphinx_ext.page import Page
from robust_lib.config.manifests import load_dataset, load_model, model_names
from robust_lib.config.profiles import default_profile, load_profile
from robust_lib.errors import InputError, one_of
from robust_lib.miniworld import camera, layouts, scenes
from robust_lib.miniworld.layout_grounds import KINDS
from robust_lib.miniworld.worlds import ART, World, load_world
from robust_lib.run.network import network_title

WORLD = "scenes"
COCO, POOL = "layouts_train", "layouts_pool"


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
        "Clutter": f"None, one or two icons of the {len(world.clutter)} objects of no class.",
        "Target": f"One drawing of one of the {len(world.inside)} classes, turned a little, "
        f"{low} to {high} % as wide as the image, near its middle, with a shadow.",
        "Camera": f"Lens blur up to {camera.BLUR} pixels, an exposure off by up to "
        f"{camera.EXPOSURE} stops, a colour cast, grain, and JPEG of quality "
        f"{camera.QUALITY[0]} to {camera.QUALITY[1] - 1}.",
        "Split": f"{100 * scenes.HELD_OUT:.1f} % of a class's drawings, at least one, are held out "
        f"for testing. {train.images:,} scenes to train on and {test.images:,} to test on.",
    }
    return _steps(steps)


def _steps(steps: Mapping[str, str]) -> Html:
    told = "".join(f"<dt>{name}</dt><dd>{text(words)}</dd>" for name, words in steps.items())
    return Html(f'<dl class="rb-facts rb-steps">{told}</dl>')


def photograph(page: Page) -> Html:
    """Return the steps of a layout of several objects, with the constants of the code."""
    pool = load_dataset(POOL)
    world, side = load_world(pool.options["world"]), pool.options["size"]
    low, high = (f"{100 * end:.0f}" for end in layouts.SCALE)
    printed, soft = (f"{100 * pool.options[part]:.0f} %" for part in ("depictions", "blurred"))
    return _steps(
        {
            "Ground": f"A studio background or one of {len(KINDS) - 1} places, {side} × {side} "
            "pixels, drawn by formulas, without objects.",
            "Objects": (
                f"One to {len(layouts.MANY)}, each {low} to {high} % as wide as the image: of "
                f"{len(world.inside)} classes, or of {len(world.outside)} out-of-distribution "
                "objects, for which no detector has a class. One may cover "
                f"{100 * layouts.COVERED:.0f} % of another, and the frame may cut it."
            ),
            "Faults": f"In the pool, {soft} of the objects are out of focus, and {printed} are "
            "only an image on a card; annotators judge both properties.",
            "Camera": "The same as for the scenes.",
            "Truth": "The box and the mask of the visible part of each object, its size, and the "
            "contrast of its colours with those around it. An object of which less than "
            f"{100 * layouts.ANNOTATED:.0f} % is visible is not annotated.",
            "Split": "Training uses different drawings from validation and the pool.",
        }
    )


def planted(page: Page) -> Html:
    """Return the rare training images that are common in the pool, and similar-looking classes."""
    world = load_world(load_dataset(POOL).options["world"])
    seen, pool = (load_dataset(name).options for name in (COCO, POOL))
    never = [name for name in world.outside if name not in seen["foreign_kinds"]]
    pairs = [f"{thing}, as {taken}" for thing, taken in world.pairs]
    rows = [
        {
            "Ground": kind,
            "Training and validation": _percent(seen["grounds"], kind),
            "Pool": _percent(pool["grounds"], kind),
        }
        for kind in KINDS
    ]
    return lines(
        table(pd.DataFrame(rows), caption="Share of layouts with each background (%)", decimals=1),
        f"<p>{100 * seen['foreign']:.0f} % of the objects in training are out-of-distribution, and "
        f"{100 * pool['foreign']:.0f} % of those in the pool. In training, none of these "
        f"{len(never)} occurs: {text(', '.join(never))}.</p>",
        f'<details class="rb-more"><summary>{len(pairs)} pairs that look alike</summary>'
        f"<p>Object, as the class that it resembles: {text('; '.join(pairs))}.</p></details>",
    )


def _percent(weights: Mapping[str, float], kind: str) -> float:
    return 100 * float(weights[kind]) / sum(map(float, weights.values()))


def classes(page: Page) -> Html:
    """Return the classes, and the other objects in scenes."""
    world = load_world(WORLD)
    return lines(
        f"<p><strong>{len(world.inside)} classes:</strong> {text(', '.join(world.inside))}.</p>",
        f"<p>{_sizes(world)}</p>",
        (
            f'<details class="rb-more"><summary>{len(world.outside)} out-of-distribution '
            "objects, which no network sees in "
            f"training</summary><p>{text(', '.join(world.outside))}.</p></details>"
        ),
        '<details class="rb-more"><summary>'
        f"{len(world.clutter)} things that lie about, and are no class</summary>"
        f"<p>{text(', '.join(world.clutter))}.</p></details>",
    )


def _sizes(world: World) -> str:
    sizes = {name: len(names) for name, names in world.subsets.items()}
    return (
        f"{sizes['a']} of them stand for the 200 classes of ImageNet-A, and {sizes['o']} for those "
        "of ImageNet-O."
    )


def networks(page: Page) -> Html:
    """Return the networks of the corruption benchmark, one row each, next to the paper's."""
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
    """Return the number of parameters of a network, by building it untrained."""
    from robust_lib.models import torch_models  # torch is slow to import, and few pages need it

    outputs = len(load_world(WORLD).inside)
    module = torch_models.build(torch_models.describe(name), outputs=outputs)
    return sum(one.numel() for one in module.parameters())


PARTS: Mapping[str | None, Callable[[Page], Html]] = MappingProxyType(
    {
        "scene": scene,
        "classes": classes,
        "photograph": photograph,
        "planted": planted,
        "networks": networks,
    }
)
