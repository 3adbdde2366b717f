"""Numbers of the papers in prose: looked up in what they print, never typed."""

import re

from robust_lib.errors import InputError
from robust_lib.results.notation import spelled
from robust_lib.results.reported import Reported, reported

_PLACE = re.compile(r"\{([^{}]+)\}")


def filled(prose: str) -> str:
    """Return a text with the printed numbers in the places of their names.

    >>> filled("mCE is {inc-tab1 mce resnet50}.")
    'mCE is 76.7 %.'
    """
    return _PLACE.sub(lambda found: number(found[1]), prose)


def number(name: str) -> str:
    """Return a printed number by item, metric, model and conditions, such as "vid-tab1 drop k=10".

    Raises:
        InputError: the paper prints no such number.
    """
    item, metric, *others = name.split()
    wanted = dict(word.split("=") for word in others if "=" in word)
    models = [word for word in others if "=" not in word]
    for row in reported(item):
        if row.metric == metric and not row.is_claim and _fits(row, models, wanted):
            return spelled(row.value, row.unit).replace("-", "\N{MINUS SIGN}")
    raise InputError(
        f"Expected a number that a paper prints, but found none for {name!r}. "
        f"The numbers of {item} stand in data_manifests/reported/."
    )


def _fits(row: Reported, models: list[str], wanted: dict[str, str]) -> bool:
    told = all(str(getattr(row, key)) == value for key, value in wanted.items())
    return told and (not models or row.model == models[0])
