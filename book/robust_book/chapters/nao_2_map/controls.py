"""The parts of the drop due to the pool and to the selection, for the chapter."""

import pandas as pd

from robust_book.chapters import view
from robust_book.chapters.nao_2_map.numbers import OnBoth, title
from robust_book.chapters.view import Names
from robust_book.html.markup import Html, lines
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.protocols.objects.at_random import (
    AS_LOW,
    AT_RANDOM,
    CHOSEN,
    WITHOUT,
    WRONG_AT_RANDOM,
)
from robust_lib.protocols.objects.coco_map import ITEM
from robust_lib.protocols.objects.scored_boxes import Scored
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber, percent, points
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.papers.nao import FILTER

COUNTED = {"": "everything", WITHOUT: "without OOD objects"}
NOT_THERE = (
    "<p>This control was not computed: it requires images of the pool with their boxes, "
    "drawn at random. Profile full reads them from the data sets openimages_train and "
    "openimages_boxes.</p>"
)


def pool_or_choice(page: Page, results: Results, on_both: OnBoth, pool: dict[str, Scored]) -> Html:
    """Return each detector's drop due to the pool, and that due to the selection.

    Args:
        results: results that include those of `at_random.results`.
        pool: detector -> its boxes in random images of the pool.

    >>> from robust_lib.protocols.objects import at_random, coco_map
    >>> on_both = toys.coco_maps({"mine": (12, 6)})
    >>> pool = {"mine": on_both["mine"][0]}
    >>> results = coco_map.results(on_both) + at_random.results(on_both, pool)
    >>> texts(pool_or_choice(page, results, on_both, pool), "td")[:2]
    ['everything', '100.0']
    """
    if not pool:
        return Html(NOT_THERE)
    rows = results.select(item=ITEM, metric="map_drop").rows
    first = next(row for row in rows if row.dataset.endswith(f"/{CHOSEN}"))
    pictures = next(iter(pool.values())).images
    told = table(
        choice_frame(results, on_both, pool, page.run.paper_names),
        caption="mAP (%) on equal numbers of random images of the ordinary set and of the pool, "
        "next to that on the adversarial images, and the drops in points",
    )
    note = (
        f'<p class="rb-convention">n = {first.n} images in each draw, from all ordinary images '
        f"and from {pictures:,} random images of the pool, without replacement; numbers are means "
        "over the draws, and brackets contain 95 % of the draws. The last column gives the share "
        "of the pool's draws with an mAP no higher than that of the adversarial images. Small sets "
        "have a higher mAP than large ones, so these numbers are comparable only with each other. "
        f"{on_both[str(first.model)][0].settings.words}.</p>"
    )
    return lines(told, Html(note))


def choice_frame(
    results: Results, on_both: OnBoth, pool: dict[str, Scored], names: Names
) -> pd.DataFrame:
    """Return one row per detector with everything counted, and one without OOD objects."""
    found = []
    for network, (ordinary, chosen) in on_both.items():
        rows = results.select(item=ITEM, model=network)
        for end, counted in COUNTED.items():
            drop = rows.first(metric="map_drop", dataset=f"{chosen.dataset}/{CHOSEN}{end}")
            if drop is None:
                continue
            mine = pool[network].dataset
            metric = "map_without_ood" if end else "map"
            before = rows.row(metric=metric, dataset=f"{ordinary.dataset}/{AT_RANDOM}")
            after = rows.row(metric=metric, dataset=f"{mine}/{AT_RANDOM}")
            share = rows.row(metric="share", dataset=f"{mine}/{AS_LOW}{end}")
            by_pool = rows.row(metric="map_drop", dataset=f"{mine}/{AT_RANDOM}{end}")
            found.append(
                {
                    "Detector": title(network, names),
                    "Counted": counted,
                    "Ordinary": 100 * before.value,
                    "Pool": 100 * after.value,
                    "Adversarial": 100 * rows.row(metric=metric, dataset=chosen.dataset).value,
                    "Drop due to the pool": view.cell(by_pool),
                    "Drop due to the selection": view.cell(drop),
                    "Draws this low (%)": 100 * share.value,
                }
            )
    return pd.DataFrame(found)


def key_numbers(
    results: Results, on_both: OnBoth, pool: dict[str, Scored], names: Names
) -> dict[str, KeyNumber]:
    """Return the numbers in the prose on the pool, the selection and random false positives."""
    chose = names.get(FILTER, "")
    chose = chose if chose in on_both else next(iter(on_both))
    rows = results.select(item=ITEM, model=chose)
    chosen = on_both[chose][1].dataset
    mine = pool[chose].dataset if chose in pool else ""
    found = {
        key: points(rows.first(metric="map_drop", dataset=name))
        for key, name in {
            "pool_drop": f"{mine}/{AT_RANDOM}",
            "choice_drop": f"{chosen}/{CHOSEN}",
            "pool_drop_without": f"{mine}/{AT_RANDOM}{WITHOUT}",
            "choice_drop_without": f"{chosen}/{CHOSEN}{WITHOUT}",
        }.items()
    }
    for key, end in (("choice_passes", ""), ("choice_passes_without", WITHOUT)):
        others = [
            row
            for row in results.select(item=ITEM, metric="map_drop").rows
            if row.dataset.endswith(f"/{CHOSEN}{end}") and row.model != chose
        ]
        found[key] = _count(others)
    random = rows.first(metric="map_without_ood", dataset=f"{chosen}/{WRONG_AT_RANDOM}")
    found["wrong_at_random"] = percent(random)
    found["foreign_beyond"] = _beyond(results)
    return found


def _count(rows: list[Row]) -> KeyNumber:
    lost = sum(row.low is not None and row.low > 0 for row in rows)
    return KeyNumber(f"{lost} of {len(rows)}", lost) if rows else NOT_MEASURED


def _beyond(results: Results) -> KeyNumber:
    """Return for how many detectors OOD objects cost more than random false positives."""
    every = results.select(item=ITEM, metric="map_without_ood")
    random = [row for row in every.rows if row.dataset.endswith(f"/{WRONG_AT_RANDOM}")]
    more = 0
    for row in random:
        name = row.dataset.partition("/")[0]
        more += every.row(model=row.model, dataset=name).value > (row.high or row.value)
    return KeyNumber(f"{more} of {len(random)}", more) if random else NOT_MEASURED
