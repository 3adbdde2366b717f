"""Hold-outs of ICONS-50: the icons for training, and the icons only for testing.

The paper holds out a style, one version of the icons that have several versions, or 50 subtypes
[inc, sec. 4]. The authors' code searches for a word anywhere in an icon's path. That matches more
than was intended: among the held-out subtypes are `books` and `monkey`, which are also names of
folders, and both classes vanish from training. Every hold-out by name can be made in their way
(`match="authors"`) or by the intended field (`"exact"`), and `side_effects` counts the difference.
"""

import difflib
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from jaxtyping import Bool, Int64

from robust_lib import seeds
from robust_lib.datasets.icons50 import Icon
from robust_lib.errors import InputError, one_of


@dataclass(frozen=True, eq=False)
class HoldOut:
    """The icons for training and those for testing; no icon is in both.

    Attributes:
        train, test: indices of the icons, ascending; together they are all icons.
    """

    name: str
    train: Int64[np.ndarray, " trained"]
    test: Int64[np.ndarray, " tested"]


def hold_out(name: str, held: Bool[np.ndarray, " icons"]) -> HoldOut:
    """Return the hold-out of the icons that a mask holds out.

    Raises:
        InputError: one side is left without icons.

    >>> hold_out("the last", np.array([False, False, True])).train.tolist()
    [0, 1]
    """
    if held.all() or not held.any():
        side = "train" if held.all() else "test"
        raise InputError(f"Expected icons to {side} on for the hold-out {name}, but none are left.")
    return HoldOut(name, np.flatnonzero(~held), np.flatnonzero(held))


def groups(icons: Sequence[Icon], key: Callable[[Icon], Hashable]) -> list[list[int]]:
    """Return the positions of icons that belong together, in the order of their paths.

    >>> icons = [Icon(f"hat/a_0_{name}.png", 0, "a", "0", name) for name in ("top", "cap", "cap")]
    >>> groups(icons, lambda icon: icon.subtype)
    [[1, 2], [0]]
    """
    found: dict[Hashable, list[int]] = defaultdict(list)
    for index in sorted(range(len(icons)), key=lambda index: icons[index].path):
        found[key(icons[index])].append(index)
    return list(found.values())


def one_a_class(icons: Sequence[Icon], *, seed: int = 0) -> HoldOut:
    """Return the hold-out of one random subtype per class, with all of its skin tones.

    In a class with only one subtype, nothing is held out.
    """
    held = np.zeros(len(icons), bool)
    for members in groups(icons, lambda icon: icon.label):
        motifs = sorted({icons[member].motif for member in members})
        if len(motifs) > 1:
            rng = seeds.generator(seed, icons[members[0]].label, "subtype")
            drawn = motifs[int(rng.integers(len(motifs)))]
            held[[member for member in members if icons[member].motif == drawn]] = True
    return hold_out("one subtype a class", held)


def some_a_class(icons: Sequence[Icon], number: int, *, seed: int = 0) -> HoldOut:
    """Return the hold-out of some subtypes of every class [inc, app. E].

    The order of the subtypes is keyed by class and subtype alone, and the first ones are held out.
    Training and test images thus lose the same subtypes, and a larger number includes a smaller
    one.

    Raises:
        InputError: a class with no more subtypes than `number`, or a `number` below 1.

    >>> icons = [Icon(f"hat/a_0_{name}.png", 0, "a", "0", name) for name in ("cap", "crown", "top")]
    >>> [some_a_class(icons, number).test.tolist() for number in (1, 2)]
    [[2], [0, 2]]
    """
    held = np.zeros(len(icons), bool)
    for members in groups(icons, lambda icon: icon.label):
        motifs = {icons[member].motif for member in members}
        if not 0 < number < len(motifs):
            folder = icons[members[0]].path.split("/")[0]
            raise InputError(
                f"Expected a number of subtypes from 1 to {len(motifs) - 1} to hold out of each "
                f"class, since {folder} has {len(motifs)}, but got {number}."
            )
        label = icons[members[0]].label
        ordered = sorted(motifs, key=lambda motif: seeds.key(seed, label, motif, "held out"))
        drawn = set(ordered[:number])
        held[[member for member in members if icons[member].motif in drawn]] = True
    return hold_out(f"{number} subtypes a class", held)


def of_each_subtype(icons: Sequence[Icon], share: float, *, seed: int = 0) -> HoldOut:
    """Return the hold-out of a random share of every subtype's icons, at least one.

    Each side thus contains all subtypes, like the training and test images of CIFAR-100. The icon
    of a subtype with only one is not held out.

    >>> icons = [Icon(f"hat/{vendor}_0_{name}.png", 0, vendor, "0", name)
    ...          for name in ("cap", "top") for vendor in "abc"]
    >>> held = of_each_subtype(icons, 0.3)
    >>> [icons[place].subtype for place in held.test]
    ['cap', 'top']
    """
    held = np.zeros(len(icons), bool)
    for members in groups(icons, lambda icon: (icon.label, icon.motif)):
        drawn = sorted(members, key=lambda member: seeds.key(seed, icons[member].path, "split"))
        held[drawn[: min(max(1, round(share * len(drawn))), len(drawn) - 1)]] = True
    return hold_out(f"{share:.0%} of each subtype", held)


Match = Literal["authors", "exact"]
VERSION = "_2"  # what the authors' code takes for the second rendition
SHOWN = 20  # known names listed in a message
NAMES = ("style:VENDOR", "version", "subtypes", "one_a_class", "some_a_class:NUMBER", "random")


@dataclass(frozen=True)
class SideEffect:
    """The icons that the authors' rule holds out for one word.

    Attributes:
        meant: number of icons with the word in the intended field.
        besides: number of further icons that the rule holds out.
        emptied: folders of the classes that have no training icon left because of the rule.
    """

    word: str
    meant: int
    besides: int
    emptied: tuple[str, ...]


def named(icons: Sequence[Icon], text: str, subtype_names: Sequence[str] = ()) -> HoldOut:
    """Return a hold-out by its name, as used in commands and in names of networks.

    Args:
        text: style:VENDOR, version, subtypes, one_a_class, some_a_class:NUMBER or random;
            ":authors" after one of the first three selects their rule instead of the intended
            field.
        subtype_names: names of the subtypes that `subtypes` holds out.

    Raises:
        InputError: an unknown name, or an error of the hold-out itself.

    >>> icons = [Icon(f"hat/{vendor}_0_cap.png", 0, vendor, "0", "cap") for vendor in "ab"]
    >>> named(icons, "style:b").test.tolist()
    [1]
    """
    kind, _, rest = text.partition(":")
    if kind == "style" and rest:
        vendor, _, rule = rest.partition(":")
        return style(icons, vendor, _rule(text, rule))
    if kind == "version":
        return version(icons, _rule(text, rest))
    if kind == "subtypes":
        return subtypes(icons, subtype_names, _rule(text, rest))
    if text == "one_a_class":
        return one_a_class(icons)
    if kind == "some_a_class" and rest.isdecimal():
        return some_a_class(icons, int(rest))
    if text == "random":
        return at_random(icons)
    raise InputError(one_of("a hold-out", text, NAMES))


def _rule(text: str, rule: str) -> Match:
    if rule in ("", "authors"):
        return "authors" if rule else "exact"
    raise InputError(f'Expected ":authors" or nothing at the end of the hold-out, but got {text}.')


def style(icons: Sequence[Icon], vendor: str, match: Match = "exact") -> HoldOut:
    """Return the hold-out of one vendor's icons.

    Raises:
        InputError: no icon, or every icon, is by this vendor.

    >>> icons = [Icon(f"hat/{vendor}_{n}_cap.png", 0, vendor, str(n), "cap")
    ...          for vendor in "ab" for n in (0, 1)]
    >>> style(icons, "b").test.tolist()
    [2, 3]
    """
    _require_known(icons, "style", [vendor], match, _style)
    held = _by_words(icons, [vendor], match, _style)
    return hold_out(f"style {vendor}", held)


def version(
    icons: Sequence[Icon], match: Match = "exact", *, share: float = 1.0, seed: int = 0
) -> HoldOut:
    """Return the hold-out of one version of each of the icons with several versions.

    "exact" draws which version of an icon is held out, so that the others are used for training;
    "authors" holds out every path with "_2" in it, whether or not the icon has a second version.

    Args:
        share: share of the icons with versions that lose one; for "exact" only.
        seed: seed of both draws, which are keyed by the icon.

    Raises:
        InputError: no icon has two versions, or a share outside (0, 1].
    """
    if not 0 < share <= 1:
        raise InputError(f"Expected a share above 0 and up to 1, but got {share}.")
    if match == "authors":
        return hold_out("version 2", _by_words(icons, [VERSION], match, _rendition))
    _require_match(match)
    held = np.zeros(len(icons), bool)
    for members in groups(icons, lambda icon: (icon.label, icon.style, icon.subtype)):
        first = icons[members[0]]
        rng = seeds.generator(seed, first.label, first.style, first.subtype, "version")
        if len(members) > 1 and rng.random() < share:
            held[members[int(rng.integers(len(members)))]] = True
    return hold_out("version", held)


def subtypes(icons: Sequence[Icon], names: Sequence[str], match: Match = "exact") -> HoldOut:
    """Return the hold-out of subtypes by name; "exact" includes all skin tones of a name.

    Raises:
        InputError: a name that no icon has.
    """
    _require_known(icons, "subtype", names, match, _subtypes)
    held = _by_words(icons, names, match, _subtypes)
    return hold_out(f"{len(names)} subtypes", held)


def at_random(icons: Sequence[Icon], share: float = 0.1, *, seed: int = 0) -> HoldOut:
    """Return the hold-out of random icons, drawn by (seed, path), for ordinary classification.

    Raises:
        InputError: a share that leaves one side empty.

    >>> icons = [Icon(f"hat/{vendor}_{n}_cap.png", 0, vendor, str(n), "cap")
    ...          for vendor in "ab" for n in (0, 1)]
    >>> held = at_random(icons, share=0.5)
    >>> len(held.train), len(held.test)
    (2, 2)
    """
    keys = np.array([seeds.key(seed, icon.path, "random") for icon in icons], np.uint64)
    held = np.zeros(len(icons), bool)
    held[np.argsort(keys)[: round(share * len(icons))]] = True
    return hold_out(f"{share:.0%} at random", held)


def side_effects(
    icons: Sequence[Icon],
    words: Sequence[str],
    field: Literal["style", "rendition", "subtype"],
) -> tuple[SideEffect, ...]:
    """Return, for each word, the icons held out unintentionally by searching whole paths.

    Args:
        words: the words that the authors' code searches for, such as "books" or "_2".
    """
    fields = {"style": _style, "rendition": _rendition, "subtype": _subtypes}
    labels = np.array([icon.label for icon in icons])
    folders = {icon.label: icon.path.split("/")[0] for icon in icons}
    effects = []
    for word in words:
        taken = _by_words(icons, [word], "authors", fields[field])
        meant = _by_words(icons, [word], "exact", fields[field])
        emptied = sorted(set(labels[taken].tolist()) - set(labels[~taken].tolist()))
        besides = int((taken & ~meant).sum())
        effects.append(
            SideEffect(word, int(meant.sum()), besides, tuple(folders[one] for one in emptied))
        )
    return tuple(effects)


def _style(icon: Icon) -> tuple[str, ...]:
    return (icon.style,)


def _rendition(icon: Icon) -> tuple[str, ...]:
    return (f"_{icon.rendition}",)


def _subtypes(icon: Icon) -> tuple[str, ...]:
    return (icon.subtype, icon.motif)


def _by_words(
    icons: Sequence[Icon],
    words: Sequence[str],
    match: Match,
    field: Callable[[Icon], tuple[str, ...]],
) -> np.ndarray:
    _require_match(match)
    if match == "authors":
        return np.array([any(word in icon.path for word in words) for icon in icons], bool)
    return np.array([not set(words).isdisjoint(field(icon)) for icon in icons], bool)


def _require_match(match: str) -> None:
    if match not in get_args(Match):
        raise InputError(one_of("match", match, get_args(Match)))


def _require_known(
    icons: Sequence[Icon],
    what: str,
    names: Sequence[str],
    match: Match,
    field: Callable[[Icon], tuple[str, ...]],
) -> None:
    """Raise unless every name would find something; list the known names, or the nearest."""
    known = sorted({value for icon in icons for value in field(icon)})
    for name in names:
        if name in known or (match == "authors" and any(name in icon.path for icon in icons)):
            continue
        if len(known) <= SHOWN:
            raise InputError(one_of(what, name, known))
        near = difflib.get_close_matches(name, known, n=5, cutoff=0.5)
        hint = f" Similar names are {', '.join(near)}." if near else ""
        raise InputError(
            f"Expected {what} to be one of {len(known)} names, such as {known[0]}, but got "
            f"{name}.{hint}"
        )
