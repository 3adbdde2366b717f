"""Blind spots: adversarial objects in regions where training images are rare [nao, sec. 4.3]."""

import pandas as pd

from robust_book.chapters.nao_3_blind_spots import maps as made_maps
from robust_book.chapters.nao_3_blind_spots import planted as plants
from robust_book.chapters.nao_3_blind_spots.maps import KEPT, Atlas, Maps, kept_frame
from robust_book.chapters.nao_3_blind_spots.pictures import Gallery, Seen
from robust_book.chapters.nao_3_blind_spots.planted import RARE, Planted
from robust_book.chapters.view import cell
from robust_book.figures.embedding_maps import panels, variants
from robust_book.figures.image_grids import grid
from robust_book.html.markup import Html, lines
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.datasets.derived import Subset
from robust_lib.errors import InputError
from robust_lib.predict.classify import choose
from robust_lib.protocols.blind_spots.spots import ITEM, BlindSpots, Settings, blind_spots, space
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber, count, percent, score
from robust_lib.results.notation import Cell
from robust_lib.results.reported import data_title
from robust_lib.results.table import Results
from robust_lib.run.chapter import Chapter, OnEmbeddings
from robust_lib.run.network import network_title
from robust_lib.run.papers import nao
from robust_lib.run.run import Run

NETWORK = "bit_resnet50"
SETS = (nao.TRAINING, nao.POOL, nao.ADVERSARIAL)


def require(pictures: int, umap_neighbours: int | None, spots: int) -> None:
    """Raise InputError unless these numbers of images, neighbours and blind spots can be shown.

    >>> require(10_000, None, 3)
    """
    if pictures < 1:
        raise InputError(f"Expected at least one image of each set, but got {pictures}.")
    if spots < 1 or (umap_neighbours is not None and umap_neighbours < 2):
        raise InputError(
            "Expected `spots` of at least 1, and `umap_neighbours` of at least 2 or None, but got "
            f"{spots} and {umap_neighbours}."
        )


CHAPTER = Chapter(
    "nao_3_blind_spots",
    networks="embedding",
    role=nao.ADVERSARIAL,
    shows=(OnEmbeddings(SETS),),
    description=nao.WORDS,
    checks=(Settings, require),
)

_CIRCLES = "circles contain three quarters of the images of a blind spot"


def seen(run: Run, network: str, pictures: int) -> tuple[Seen, Seen, Seen]:
    """Return training images, pool images and adversarial images with their embeddings.

    Args:
        network: network that embeds them, by the paper's name or ours.
        pictures: maximum number of images of the training set and of the pool; a fixed choice by
            their names.

    >>> [len(one.embeddings) for one in seen(run, "means", 12)]
    [12, 12, 30]
    """
    found = []
    for role in SETS:
        images = run.image_set(role)
        if role != nao.ADVERSARIAL and len(images) > pictures:
            images = Subset(images, tuple(choose(images.ids, pictures)))
        found.append(Seen(run.embed(images, network), run.image_set(role)))
    training, pool, adversarial = found
    return training, pool, adversarial


def spots(sets: tuple[Seen, Seen, Seen], how: Settings) -> BlindSpots:
    """Return the blind spots of a training set.

    >>> spots(seen(run, "means", 30), Settings(neighbours=20, permutations=99)).count
    0
    """
    training, pool, adversarial = (one.embeddings for one in sets)
    return blind_spots(space(training, pool, adversarial), how)


def three_maps(page: Page, results: Results, found: BlindSpots, made: Maps, most: int) -> Html:
    """Return Figure 5: adversarial images on the maps of two sets, and the blind spots.

    >>> from robust_lib.protocols.blind_spots.spots import results
    >>> found = toys.blind_spots()
    >>> block = three_maps(page, results(found, 1), found, toys.maps(), 3)
    >>> texts(block, "text")[:2]
    ['Training images', 'All images']
    """
    points, first = made.first.places, len(found.space.training)
    sets = {"Training images": points[:first], "All images": points[first:]}
    inside = [len(found.chosen_pictures(spot)) for spot in range(min(most, found.count))]
    return page.item(
        ITEM,
        results,
        figure=panels(sets, made.chosen, "adversarial", made_maps.rings(found, made, most)),
        table=table(
            density_frame(results),
            caption="Training density (natural logarithm of training over pool; 0 where equal), "
            "and the share of images in blind spots (%)",
            decimals={"Training density": 2},
        ),
        alt="Two maps of the same plane: grey shades show how dense training images and a sample "
        f"of all images are; dots are adversarial images. The circles mark {len(inside)} of "
        f"{found.count} blind spots, with {', '.join(map(str, inside)) or 'no'} adversarial "
        "images.",
        convention=f"{network_title(found.space.training.model)}, n = "
        f"{len(found.space.training):,} training images, {len(found.space.pool):,} of the pool and "
        f"{len(found.space.adversarial):,} adversarial. {_capital(found.space.convention)}. Blind "
        f"spots are found in the embedding, not on the map: {found.settings.words}. Each blind "
        f"spot is a dense group of the images found (HDBSCAN, at least {found.settings.least} "
        f"images) and the images nearest to it. Map: {made.first.method}, fitted to the training "
        "and pool images; the adversarial ones, which belong to the pool, are placed on it; "
        f"{_CIRCLES}. Both shades share one scale, the square root of the density, so that single "
        "images are visible. Intervals resample images (composed images that show the same "
        "out-of-distribution object together) and keep the embedding and the test fixed.",
        description=page.run.described(*SETS),
    )


def explorer(page: Page, made: Atlas) -> Html:
    """Return the interactive map, which shows the image under the pointer.

    >>> found = toys.blind_spots()
    >>> sets = (Seen(one, toys.drawn(one)) for one in (found.space.pool, found.space.adversarial))
    >>> texts(explorer(page, made_maps.atlas(found, toys.maps(), *sets, most=3)), "label")
    ['Image']
    """
    return made_maps.block(
        made,
        convention=f"{len(made.thumbnails):,} of the images can be viewed: images of the pool in "
        "the numbered blind spots, and as many adversarial images as fit, evenly chosen; "
        f"{_CIRCLES}. An asterisk marks objects of no class (out-of-distribution).",
    )


def gallery(page: Page, shown: tuple[Gallery, ...]) -> Html:
    """Return images of each blind spot: pool images, then adversarial ones.

    >>> texts(gallery(page, ()), "p")
    ['No region was found in which training images are significantly rarer than ...']
    """
    if not shown:
        return Html(
            "<p>No region was found in which training images are significantly rarer than "
            "images of the pool.</p>"
        )
    return lines(
        *(
            page.figure(
                f"fig-spot-{one.number}",
                grid(one.pictures, one.captions, columns=6, size=1.15),
                caption=f"{one.words}. The images are the most typical ones of the pool, and the "
                "adversarial ones with the fewest training images around them.",
                alt=f"{one.words}: {'; '.join(one.captions)}.",
                description=page.run.described(nao.POOL),
            )
            for one in shown
        )
    )


def sensitivity(page: Page, found: BlindSpots, made: Maps, most: int) -> Html:
    """Return other maps of the same images, and the share of neighbours that each keeps.

    >>> texts(sensitivity(page, toys.blind_spots(), toys.maps(), 3), "text")[0]
    'the map above'
    """
    spot = [int(one) + 1 if 0 <= one < most else 0 for one in found.spot]
    drawn = {"the map above": made.first} | dict(made.others)
    figure = page.figure(
        "fig-maps",
        variants({title: (one.places, spot) for title, one in drawn.items()}),
        caption="The figure shows the same images on other maps, each turned to fit the first "
        "(Procrustes). Images in blind spots of the embedding are drawn in one colour; a number "
        "marks the middle of each spot.",
        alt=f"{len(drawn)} maps of the training and pool images: {'; '.join(drawn)}.",
        description=page.run.described(nao.TRAINING, nao.POOL),
    )
    kept = table(
        made_maps.kept_frame(found, made),
        caption=f"Share (%) of each image's {KEPT} nearest neighbours in the embedding, and on the "
        f"map above, that are also among its {KEPT} nearest on another map",
    )
    return lines(figure, kept)


def beside_planted(
    page: Page, found: BlindSpots, rows: Results, made: Planted | None, most: int
) -> Html:
    """Return the planted kinds next to those found.

    Args:
        made: the planted kinds; None if unknown.

    >>> rows = plants.results(toys.blind_spots(), toys.planted())
    >>> block = beside_planted(page, toys.blind_spots(), rows, toys.planted(), 3)
    >>> texts(block, "td")[:3]
    ['grounds', 'yes', '0.0']
    """
    if made is None:
        return Html(
            "<p>It is not known which images are rare here: these photographs were taken, "
            "not composed. Profile mini shows what its generator made rare, next to what "
            "was found.</p>"
        )
    return lines(
        table(
            plants.kind_frame(rows, made),
            caption="Backgrounds and out-of-distribution objects: share of images that show them "
            "(%), and share of the pool's images with them in blind spots (%). Planted: at "
            f"most {RARE:.2f} times as frequent in training as in the pool",
        ),
        table(
            plants.spot_frame(found, made, most),
            caption="The most frequent background of the pool's images in each blind spot (%)",
            decimals={"Images of the pool": 0, "Adversarial images": 0},
        ),
    )


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def density_frame(results: Results) -> pd.DataFrame:
    """Return training density and the share in blind spots, for adversarial images and for all."""
    rows = results.select(item=ITEM)
    return pd.DataFrame(
        {
            "Images": data_title(str(row.dataset)),
            "Training density": Cell(row.value, row.low, row.high),
            "In blind spots": cell(rows.row(metric="share", dataset=row.dataset)),
        }
        for row in rows.select(metric="training_density").rows
    )


def key_numbers(results: Results, found: BlindSpots, made: Maps) -> dict[str, KeyNumber]:
    """Return the numbers in the prose."""
    chosen, pool = (one.dataset for one in (found.space.adversarial, found.space.pool))
    kept = kept_frame(found, made)

    rows = results.select(item=ITEM)

    def share(title: str, column: str) -> KeyNumber:
        value = float(kept.loc[kept["Map"] == title, column].dropna().iloc[0])
        text = f"{value:.{0 if value >= 1 else 1}f} %"  # chance is small, and not nothing
        return KeyNumber(text, value / 100, f"share of the {KEPT} nearest images that is kept")

    others = [title for title in made.others if title.startswith("seed")]
    return {
        "network": KeyNumber(network_title(found.space.training.model)),
        "training": count(len(found.space.training)),
        "pool": count(len(found.space.pool)),
        "adversarial": count(len(found.space.adversarial)),
        "neighbours": count(found.settings.neighbours),
        "spots": count(found.count),
        "chosen_density": score(rows.row(metric="training_density", dataset=chosen)),
        "pool_density": score(rows.row(metric="training_density", dataset=pool)),
        "chosen_inside": percent(rows.row(metric="share", dataset=chosen)),
        "pool_inside": percent(rows.row(metric="share", dataset=pool)),
        "method": KeyNumber(made.first.method),
        "kept_of_embedding": share(made.first.method, "Kept from the embedding"),
        "kept_by_seed": share(others[0], "Kept from the map") if others else NOT_MEASURED,
        "kept_by_chance": share("chance", "Kept from the map"),
    }
