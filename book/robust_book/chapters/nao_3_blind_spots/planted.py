"""Planted backgrounds and objects that are rare in training, next to the blind spots found."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from jaxtyping import Bool

from robust_book.chapters.nao_3_blind_spots.pictures import Seen
from robust_book.chapters.view import cell
from robust_lib.errors import InputError
from robust_lib.metrics.intervals import Sample
from robust_lib.protocols.blind_spots.spots import ITEM, BlindSpots, Together
from robust_lib.results.estimate import Estimate
from robust_lib.results.key_number import KeyNumber, percent
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.image_kinds import as_layouts

Flags = Bool[np.ndarray, " _"]
Kinds = Mapping[str, Flags]
"""What images may show -> which of them show it."""

RARE = 1 / 3
"""What training shows at most so often as the pool counts as planted."""

GROUNDS, FOREIGN = "grounds", "foreign things"


@dataclass(frozen=True, eq=False)
class Planted:
    """The content of training and pool images, and the kinds that are rare in training.

    Attributes:
        pool: name of the pool.
        in_training: group (backgrounds or OOD objects) -> kind -> mask of the training images that
            show it.
        in_pool: the same for the pool's images.
        in_chosen: the same for the adversarial images.
    """

    pool: str
    in_training: Mapping[str, Kinds]
    in_pool: Mapping[str, Kinds]
    in_chosen: Mapping[str, Kinds] = field(default_factory=dict)

    def rare(self, group: str) -> tuple[str, ...]:
        """Return the kinds that are rare or absent in training, most frequent in the pool first."""
        kinds = self.in_pool[group]
        found = [
            kind
            for kind, shown in kinds.items()
            if shown.any() and self.in_training_share(group, kind) <= RARE * float(shown.mean())
        ]
        return tuple(sorted(found, key=lambda kind: -float(kinds[kind].mean())))

    def in_training_share(self, group: str, kind: str) -> float:
        """Return the fraction of training images that show a kind."""
        shown = self.in_training[group].get(kind)
        return 0.0 if shown is None else float(shown.mean())

    def shows_rare(self, group: str) -> Flags:
        """Return a mask of the pool images that show a rare kind."""
        kinds = self.in_pool[group]
        shows = np.zeros(len(next(iter(kinds.values()))), bool)
        for kind in self.rare(group):
            shows |= kinds[kind]
        return shows


def together(kinds: Mapping[str, Kinds]) -> tuple[str, ...]:
    """Return the group of each image: its first OOD object, or a group of its own.

    >>> together({GROUNDS: {"sky": np.ones(3, bool)}, FOREIGN: {"owl": np.arange(3) > 0}})
    ('0', 'owl', 'owl')
    """
    many = len(next(iter(kinds[GROUNDS].values())))
    groups = {place: str(place) for place in range(many)}
    for kind, shown in reversed(list(kinds[FOREIGN].items())):
        groups |= dict.fromkeys(np.flatnonzero(shown).tolist(), kind)
    return tuple(groups.values())


def groups(made: Planted | None) -> tuple[Together, Together]:
    """Return the groups of the adversarial images and of the pool's, for resampling.

    Detectors classify an out-of-distribution object as the same class repeatedly: images of it are
    selected together, and are near each other in the embedding.

    >>> groups(None)
    (None, None)
    """
    return (None, None) if made is None else (together(made.in_chosen), together(made.in_pool))


def planted(training: Seen, pool: Seen, chosen: Seen) -> Planted | None:
    """Return the planted kinds in composed layouts; None for photographs.

    >>> found = toys.blind_spots()
    >>> sets = found.space.training, found.space.pool, found.space.adversarial
    >>> planted(*(Seen(one, toys.drawn(one)) for one in sets)) is None
    True
    """
    try:
        return Planted(pool.embeddings.dataset, _kinds(training), _kinds(pool), _kinds(chosen))
    except InputError:  # they were taken
        return None


def results(found: BlindSpots, made: Planted | None) -> Results:
    """Return the shares of planted images that were found, and of found images that were planted.

    Args:
        made: the planted kinds; None if unknown, which gives no rows.

    >>> rows = results(toys.blind_spots(), toys.planted())
    >>> rows.row(metric="precision", dataset="pool/grounds").value
    1.0
    """
    return Results() if made is None else Results.of(_rows(found, made))


def kind_frame(rows: Results, made: Planted) -> pd.DataFrame:
    """Return one row per kind: frequency in training and pool, and share found, in percent.

    >>> frame = kind_frame(results(toys.blind_spots(), toys.planted()), toys.planted())
    >>> frame["Kind"].tolist(), frame["Planted"].tolist()
    (['underwater', 'studio', 'shark'], ['yes', 'no', 'yes'])
    """
    lines = []
    for group, kinds in made.in_pool.items():
        shares = {kind: float(shown.mean()) for kind, shown in kinds.items() if shown.any()}
        rare = made.rare(group)
        others = sorted((kind for kind in shares if kind not in rare), key=lambda one: -shares[one])
        lines += [
            {
                "Kind": kind,
                "Of": group,
                "Planted": "yes" if kind in rare else "no",
                "In training": 100 * made.in_training_share(group, kind),
                "In the pool": 100 * shares[kind],
                "Found among these": cell(rows.select(dataset=f"{made.pool}/{kind}").rows[0]),
            }
            for kind in (*rare, *others)
        ]
    return pd.DataFrame(lines)


def spot_frame(found: BlindSpots, made: Planted, most: int) -> pd.DataFrame:
    """Return one row per blind spot, for the first ones: the most frequent background.

    >>> spot_frame(toys.blind_spots(), toys.planted(), 3)["Most frequent"].tolist()
    ['underwater']
    """
    lines = []
    for spot in range(min(most, found.count)):
        places = list(found.pool_pictures(spot))
        shares = {
            kind: float(shown[places].mean()) if places else 0.0
            for kind, shown in made.in_pool[GROUNDS].items()
        }
        kind = max(shares, key=lambda one: shares[one])
        lines.append(
            {
                "Spot": str(spot + 1),
                "Images of the pool": len(places),
                "Adversarial images": len(found.chosen_pictures(spot)),
                "Most frequent": kind,
                "Its share": 100 * shares[kind],
            }
        )
    return pd.DataFrame(lines)


def key_numbers(rows: Results, made: Planted | None) -> dict[str, KeyNumber]:
    """Return the prose's numbers on the planted kinds.

    >>> numbers = key_numbers(results(toys.blind_spots(), toys.planted()), toys.planted())
    >>> numbers["grounds_recall"].text, numbers["grounds"].text, numbers["grounds_base"].text
    ('100.0 %', 'underwater', '28.6 %')
    """
    found: dict[str, KeyNumber] = {}
    for name, group in (("grounds", GROUNDS), ("foreign", FOREIGN)):
        if made is None:
            parts = (
                name,
                *(f"{name}_{part}" for part in ("recall", "precision", "base", "others", "chosen")),
            )
            found |= dict.fromkeys(parts, KeyNumber("not known"))
            continue
        *before, last = made.rare(group) or ("nothing",)
        dataset = f"{made.pool}/{group}"
        found[name] = KeyNumber(f"{', '.join(before)} and {last}" if before else last)
        for part, metric in (("recall", "recall"), ("precision", "precision"), ("base", "share")):
            row = rows.first(metric=metric, dataset=dataset)
            found[f"{name}_{part}"] = percent(row, missing="undefined, because nothing was found")
        found[f"{name}_chosen"] = _chosen(made, group)
        found[f"{name}_others"] = percent(
            rows.first(metric="share", dataset=f"{made.pool}/without {group}")
        )
    return found


def _chosen(made: Planted, group: str) -> KeyNumber:
    """Return the share of adversarial images with a rare kind, and whether it is higher."""
    kinds, rare = made.in_chosen[group], made.rare(group)
    shows = np.zeros(len(next(iter(made.in_chosen[GROUNDS].values()))), bool)
    for kind in rare:
        shows |= kinds.get(kind, np.zeros(len(shows), bool))
    base = float(made.shows_rare(group).mean())
    share = Estimate.of_rate([shows], images=Sample("chosen", together(made.in_chosen)))
    low, high = share.low or 0.0, 1.0 if share.high is None else share.high
    word = "more" if low > base else "fewer" if high < base else "not shown to be more or fewer"
    ends = f"[{100 * low:.1f}, {100 * high:.1f}]"
    text = f"{100 * share.value:.1f} {ends} %, {word} than the pool's {100 * base:.1f} %"
    return KeyNumber(text, share.value, f"adversarial images with rare {group}", share.n)


def _rows(found: BlindSpots, made: Planted) -> Iterator[Row]:
    flagged = found.in_pool
    rare = f"rare: at most {RARE:.2f} times as frequent in training as in the pool"

    def row(metric: str, shown: Flags, part: str, of: str) -> Row:
        dataset = f"{made.pool}/{part}"
        told = f"{of}; {rare}; {found.settings.words}"
        estimate = Estimate.of_rate([shown], images=dataset)
        return Row.of(estimate, item=ITEM, metric=metric, dataset=dataset, convention=told)

    for group, kinds in made.in_pool.items():
        shows = made.shows_rare(group)
        yield row("share", shows, group, f"images with rare {group}")
        if shows.any():
            yield row("recall", flagged[shows], group, f"found, of images with rare {group}")
        if not shows.all():
            others = f"found, of images without rare {group}"
            yield row("share", flagged[~shows], f"without {group}", others)
        if flagged.any():
            yield row("precision", shows[flagged], group, f"with rare {group}, of those found")
        for kind, shown in kinds.items():
            if shown.any():
                yield row("recall", flagged[shown], kind, f"found, of images with {kind}")


def _kinds(seen: Seen) -> Mapping[str, Kinds]:
    """Return the backgrounds of some composed layouts and the OOD objects that they show."""
    whole = as_layouts(seen.images)
    at = {name: place for place, name in enumerate(whole.ids)}
    truths = [whole.truth(at[name]) for name in seen.embeddings.ids]
    grounds = [{one.ground} for one in truths]
    foreign = [{thing.name for thing in one.things if thing.foreign} for one in truths]
    return {GROUNDS: _by_kind(grounds), FOREIGN: _by_kind(foreign)}


def _by_kind(shown: list[set[str]]) -> Kinds:
    kinds = sorted(set().union(*shown))
    return {kind: np.array([kind in one for one in shown]) for kind in kinds}
