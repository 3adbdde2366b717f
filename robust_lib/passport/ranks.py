"""Rankings of several networks by each headline number of their passports."""

from collections.abc import Sequence

import pandas as pd

from robust_lib.passport.record import Headline, Passport

COLUMNS = ("benchmark", "number", "better", "rank", "model", "value", "low", "high", "n", "n_full")


def ranks(passports: Sequence[Passport]) -> pd.DataFrame:
    """Return one row for each network and number, in fractions, sorted by number and rank.

    Networks with the same value share a rank. A network that missed its published clean number is
    left out.
    """
    found: dict[tuple[str, str], list[tuple[str, Headline]]] = {}
    for passport in passports:
        if passport.is_refused:
            continue
        for section in passport.sections:
            for one in section.headlines:
                found.setdefault((section.benchmark, one.title), []).append((passport.model, one))
    rows = []
    for (benchmark, title), several in found.items():
        better = several[0][1].better
        sign = -1 if better == "higher" else 1
        values = sorted(sign * one.number.value for _, one in several)
        for model, one in sorted(several, key=lambda pair: (sign * pair[1].number.value, pair[0])):
            number, rank = one.number, 1 + values.index(sign * one.number.value)
            rows.append(
                (benchmark, title, better, rank, model, number.value, number.low, number.high,
                 number.n, number.n_full)
            )  # fmt: skip
    return pd.DataFrame(rows, columns=list(COLUMNS))
