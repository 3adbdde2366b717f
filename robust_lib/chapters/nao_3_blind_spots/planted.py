"""What a generator planted, beside what was found: places and things that training seldom shows."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import pandas as pd
from jaxtyping import Bool

from robust_lib.chapters.nao_3_blind_spots.pictures import Seen
from robust_lib.chapters.tables import cell_of
from robust_lib.datasets.derived import source
from robust_lib.protocols.blind_spots.results import ITEM
from robust_lib.protocols.blind_spots.spots import BlindSpots
from robust_lib.results.estimate import Estimate
from robust_lib.results.key_number import KeyNumber, percent
from robust_lib.results.row import Row
from robust_lib.results.table import Results

Kinds = Mapping[str, Bool[np.ndarray, " pictures"]]
"""What pictures may show -> which of them show it."""

RARE = 1 / 3
"""What training shows at most so often as the pool counts as planted."""

ANY = "any planted kind"


class Placed(Protocol):
    """What is known of a composed picture: the kind of its ground."""

    @property
    def ground(self) -> str:
        """Such as "underwater"."""


@runtime_checkable
class Composed(Protocol):
    """Pictures that were composed, so that all is known of them."""

    def truth(self, place: int) -> Placed:
        """Return what is known of a picture."""


@dataclass(frozen=True, eq=False)
class Planted:
    """What training pictures and pictures of the pool show, of what was made rare in training.

    Attributes:
        training: name of the training set.
        pool: name of the pool.
        in_training: kind -> which training pictures show it.
        in_pool: kind -> which pictures of the pool show it.
    """

    training: str
    pool: str
    in_training: Kinds
    in_pool: Kinds

    @property
    def rare(self) -> tuple[str, ...]:
        """Return the kinds that training shows seldom or never, the commonest in the pool first."""
        found = [
            kind
            for kind, shown in self.in_pool.items()
            if shown.any() and self.share_in_training(kind) <= RARE * float(shown.mean())
        ]
        return tuple(sorted(found, key=lambda kind: -float(self.in_pool[kind].mean())))

    def share_in_training(self, kind: str) -> float:
        """Return how many of the training pictures show a kind, a fraction."""
        shown = self.in_training.get(kind)
        return 0.0 if shown is None else float(shown.mean())

    @property
    def any_rare(self) -> Bool[np.ndarray, " pictures"]:
        """Return which pictures of the pool show a rare kind."""
        shows = np.zeros(len(next(iter(self.in_pool.values()))), bool)
        for kind in self.rare:
            shows |= self.in_pool[kind]
        return shows


def planted(training: Seen, pool: Seen) -> Planted | None:
    """Return what was planted in composed pictures; None where nobody composed them.

    Kinds are the grounds, and the kinds of foreign things: those that no class is for.

    Args:
        training: the training pictures.
        pool: the pool's.

    >>> found = toys.blind_spots()
    >>> sets = found.space.training, found.space.pool
    >>> planted(*(Seen(one, toys.drawn(one)) for one in sets)).rare
    ('underwater', 'shark')
    """
    kinds = [_kinds(one) for one in (training, pool)]
    if kinds[0] is None or kinds[1] is None:
        return None
    names = training.embeddings.dataset, pool.embeddings.dataset
    return Planted(*names, kinds[0], kinds[1])


def results(found: BlindSpots, made: Planted | None) -> Results:
    """Return how many of the planted pictures were found, and how many of those found were planted.

    Args:
        found: the blind spots.
        made: what was planted; None: nothing is known, and there are no rows.

    >>> made = toys.planted()
    >>> rows = results(toys.blind_spots(), made)
    >>> rows.row(metric="precision").value, rows.row(metric="recall", dataset="pool").value
    (1.0, 1.0)
    """
    return Results() if made is None else Results.of(_rows(found, made))


def kind_frame(rows: Results, made: Planted) -> pd.DataFrame:
    """Return each kind: how often training and pool show it (%), and how often it was found (%).

    Args:
        rows: of `results`.
        made: what was planted.

    >>> frame = kind_frame(results(toys.blind_spots(), toys.planted()), toys.planted())
    >>> frame["Kind"].tolist(), frame["Planted"].tolist()
    (['underwater', 'shark', 'studio'], ['yes', 'yes', 'no'])
    """
    others = sorted(
        (kind for kind in made.in_pool if kind not in made.rare and made.in_pool[kind].any()),
        key=lambda kind: -float(made.in_pool[kind].mean()),
    )
    return pd.DataFrame(
        {
            "Kind": kind,
            "Planted": "yes" if kind in made.rare else "no",
            "In training": 100 * made.share_in_training(kind),
            "In the pool": 100 * float(made.in_pool[kind].mean()),
            "Of these found": cell_of(rows.select(dataset=f"{made.pool}/{kind}").rows[0]),
        }
        for kind in (*made.rare, *others)
    )


def spot_frame(found: BlindSpots, made: Planted, most: int) -> pd.DataFrame:
    """Return each of the first blind spots: what most of its pictures of the pool show.

    Args:
        found: the blind spots.
        made: what was planted.
        most: how many spots.

    >>> spot_frame(toys.blind_spots(), toys.planted(), 3)["Most of it"].tolist()
    ['underwater']
    """
    lines = []
    for spot in range(min(most, found.count)):
        places = list(found.pool_pictures(spot))
        shares = {kind: float(shown[places].mean()) for kind, shown in made.in_pool.items()}
        kind = max(shares, key=lambda one: shares[one]) if places else "–"
        lines.append(
            {
                "Spot": str(spot + 1),
                "Pictures of the pool": len(places),
                "Adversarial pictures": len(found.chosen_pictures(spot)),
                "Most of it": kind,
                "Share of it": 100 * shares[kind] if places else None,
                "Share with a planted kind": 100 * float(made.any_rare[places].mean())
                if places
                else None,
            }
        )
    return pd.DataFrame(lines)


def key_numbers(rows: Results, made: Planted | None) -> dict[str, KeyNumber]:
    """Return what the prose names of the planted kinds.

    >>> numbers = key_numbers(results(toys.blind_spots(), toys.planted()), toys.planted())
    >>> numbers["recall"].text, numbers["kinds"].text, numbers["base"].text
    ('100.0 %', 'underwater and shark', '28.6 %')
    """
    if made is None:
        unknown = KeyNumber("not known")
        return dict.fromkeys(("recall", "precision", "base", "kinds"), unknown)
    *others, last = made.rare or ("nothing",)
    return {
        "recall": percent(rows.row(metric="recall", dataset=made.pool)),
        "precision": percent(
            rows.row(metric="precision"), missing="not defined: nothing was found"
        ),
        "base": percent(rows.row(metric="share", dataset=f"{made.pool}/{ANY}")),
        "kinds": KeyNumber(f"{', '.join(others)} and {last}" if others else last),
    }


def _rows(found: BlindSpots, made: Planted) -> Iterator[Row]:
    flagged, planted = found.in_pool, made.any_rare
    told = f"planted: at most {RARE:.2f} times as often in training as in the pool"

    def row(metric: str, shown: Bool[np.ndarray, " pictures"], dataset: str, of: str) -> Row:
        estimate = Estimate.of_rate([shown], images=dataset)
        return Row.of(
            estimate, item=ITEM, metric=metric, dataset=dataset, convention=f"{of}; {told}"
        )

    yield row("share", planted, f"{made.pool}/{ANY}", "of the pool's pictures, those planted")
    if planted.any():
        yield row("recall", flagged[planted], made.pool, "of the planted pictures, those found")
    if flagged.any():
        yield row("precision", planted[flagged], made.pool, "of the found pictures, those planted")
    for kind, shown in made.in_pool.items():
        if shown.any():
            dataset = f"{made.pool}/{kind}"
            yield row(
                "recall", flagged[shown], dataset, "of the pictures of this kind, those found"
            )


def _kinds(seen: Seen) -> Kinds | None:
    """Return what some composed pictures show; None of others."""
    whole = source(seen.images)
    if not isinstance(whole, Composed):
        return None
    at = {name: place for place, name in enumerate(whole.ids)}
    shown = [
        {whole.truth(at[name]).ground, *seen.foreign(place)}
        for place, name in enumerate(seen.embeddings.ids)
    ]
    kinds = sorted(set().union(*shown))
    return {kind: np.array([kind in one for one in shown]) for kind in kinds}
