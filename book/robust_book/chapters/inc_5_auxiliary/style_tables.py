"""Style transfer's corruption error: among the fifteen, as a table, and as key numbers."""

from collections.abc import Mapping, Sequence

import pandas as pd

from robust_book.chapters.inc_2_mce.tables import tuple_of
from robust_book.chapters.tables import cell_of
from robust_book.figures.bars import Interval
from robust_lib.protocols.corruption_error.style_transfer import CORRUPTION, ITEM
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber, percent
from robust_lib.results.reported import reported
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.vocabulary import COMMON, corruption_label

PAPERS = "resnet50"
PRINTED = "The paper (ResNet-50)"


def network(names: Mapping[str, str], among: Sequence[str]) -> str:
    """Return our network that plays the paper's ResNet-50, or the last one where none does.

    >>> network({"resnet50": "resnet50_mini"}, ["alexnet_mini", "resnet50_mini"])
    'resnet50_mini'
    >>> network({}, ["alexnet_mini", "resnet18_mini"])
    'resnet18_mini'
    """
    ours = names.get(PAPERS, "")
    return ours if ours in among else among[-1]


def dots(results: Results, model: str) -> dict[str, dict[str, Interval]]:
    """Return source -> corruption -> (CE, low, high) of one network and the paper's, percent.

    >>> grid = toys.restyled("alexnet_mini", "resnet50_mini")
    >>> from robust_lib.protocols.corruption_error import style_transfer as protocol
    >>> rows = protocol.results(grid, toys.normaliser(grid), samples=20)
    >>> found = dots(rows, "resnet50_mini")
    >>> found[PRINTED]["Style transfer"], found["This run (ResNet-50-like)"]["Style transfer"][0]
    ((92.0, 92.0, 92.0), 50.0)
    """
    ours = {
        corruption_label(str(row.corruption)): tuple_of(row)
        for row in results.select(item=ITEM, metric="ce", model=model).rows
    }
    printed = {
        corruption_label(str(row.corruption)): (100 * row.number,) * 3
        for item in ("inc-tab1", ITEM)
        for row in reported(item)
        if (row.metric, row.model) == ("ce", PAPERS) and row.number is not None
        if row.corruption in (*COMMON, CORRUPTION)
    }
    return {f"This run ({network_title(model)})": ours, PRINTED: printed}


def ranked(found: Mapping[str, Mapping[str, Interval]]) -> list[str]:
    """Return the corruptions of `dots` that this run has, the largest CE first.

    >>> one, two = (1.0, 1.0, 1.0), (2.0, 2.0, 2.0)
    >>> ranked({"This run": {"Fog": one, "Style transfer": two}, PRINTED: {}})
    ['Style transfer', 'Fog']
    """
    ours = next(iter(found.values())) or found[PRINTED]
    return sorted(ours, key=lambda name: -ours[name][0])


def frame(results: Results, models: Sequence[str]) -> pd.DataFrame:
    """Return a row a network: errors, style transfer's CE, and ImageNet-C's.

    >>> grid = toys.restyled("alexnet_mini", "resnet50_mini")
    >>> from robust_lib.protocols.corruption_error import style_transfer as protocol
    >>> rows = protocol.results(grid, toys.normaliser(grid), samples=20)
    >>> list(frame(rows, grid.models).columns)[:4]
    ['Network', 'Clean', 'Mean error', 'CE, style']
    """
    rows = []
    for model in models:
        found: dict[str, object] = {"Network": network_title(model)}
        mine = results.select(item=ITEM, model=model)
        clean, *restyled = mine.select(metric="error").rows
        found["Clean"] = 100 * clean.value
        found["Mean error"] = 100 * sum(row.value for row in restyled) / len(restyled)
        kinds = {"CE, style": ("ce", CORRUPTION), "Largest CE": ("largest_ce", None)}
        for name, (metric, corruption) in (kinds | {"mCE": ("mce", None)}).items():
            own = mine.select(metric=metric, corruption=corruption).rows
            # The mean's interval has no room in the column; it is in the CSV.
            whole = 100 * own[0].value if own and metric == "mce" else None
            found[name] = cell_of(own[0]) if own and whole is None else whole
        rows.append(found)
    return pd.DataFrame(rows)


def key_numbers(results: Results, names: Mapping[str, str]) -> dict[str, KeyNumber]:
    """Return what the prose says of style transfer.

    Args:
        results: of `protocols.corruption_error.style_transfer`.
        names: the paper's name of a network -> ours.

    >>> grid = toys.restyled("alexnet_mini", "resnet50_mini")
    >>> from robust_lib.protocols.corruption_error import style_transfer as protocol
    >>> rows = protocol.results(grid, toys.normaliser(grid), samples=20)
    >>> found = key_numbers(rows, {"resnet50": "resnet50_mini"})
    >>> found["style_network"].text, found["style_ce"].text, found["style_harder"].text
    ('ResNet-50-like', '50.0 %', '1 of 1 networks')
    """
    of_item = results.select(item=ITEM)
    models = [str(row.model) for row in of_item.select(metric="ce", corruption=CORRUPTION).rows]
    if not models:
        return dict.fromkeys(KEYS, NOT_MEASURED)
    model = network(names, models)
    found = {"style_network": KeyNumber(network_title(model), model)}
    wanted = {"style_ce": ("ce", CORRUPTION), "style_largest": ("largest_ce", None)}
    for key, (metric, corruption) in (wanted | {"style_mce": ("mce", None)}).items():
        rows = of_item.select(metric=metric, corruption=corruption, model=model).rows
        found[key] = percent(rows[0]) if rows else NOT_MEASURED
    ces, most = (
        {
            str(row.model): row.value
            for row in of_item.select(metric=metric, corruption=corruption).rows
        }
        for metric, corruption in (("ce", CORRUPTION), ("largest_ce", None))
    )
    harder = [one for one, value in most.items() if ces[one] > value]
    others = [one for one in most if one != next(iter(ces))]
    found["style_harder"] = KeyNumber(
        f"{sum(one in harder for one in others)} of {len(others)} networks",
        sum(one in harder for one in others),
        "networks but the normaliser whose CE of style transfer exceeds all fifteen of ImageNet-C",
        len(others),
    )
    return found


KEYS = ("style_network", "style_ce", "style_largest", "style_mce", "style_harder")
