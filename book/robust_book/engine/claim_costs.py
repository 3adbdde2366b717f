"""Cost of each claim of the papers in seconds, from the networks and conditions behind it.

Costs are those of the plan, on one core of the reference machine. Work that several claims need
counts for each of them; work that no other claim needs is `alone`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import NamedTuple

from robust_book.engine import costs
from robust_book.engine.needs import Evaluated, Needs, lineage, needs
from robust_lib.config.papers import paper_keys
from robust_lib.config.profiles import Profile
from robust_lib.results import reported
from robust_lib.results.claims import Claim, parse
from robust_lib.results.lookup import Where
from robust_lib.run.chapter import Chapter, finds_boxes, is_trained_here
from robust_lib.run.network import Network
from robust_lib.vocabulary import COMMON

CORRUPTED = ("imagenet_c", "imagenet_100")
"""Data sets, as claims name them, that a chapter makes by corrupting its images."""
DIVIDED = ("ce", "mce", "relative_mce", "lower_ces", "largest_ce", "mean_ce", "mean_ce_gain")
"""Metrics that divide by the errors of the baseline."""
OF_COMMON = ("mce", "relative_mce", "lower_ces", "largest_ce", "mean_error")
"""Metrics of the fifteen common corruptions, if they name none."""
OF_NO_NETWORK = ("low_level_auroc",)
STYLE_TRANSFER = "style_transfer"  # the notebook makes these images, and shows them, by itself


class Part(NamedTuple):
    """A piece of the plan's work that is done once for all claims that need it.

    Attributes:
        does: train, predict (a network on the images of a condition), corrupt, or choose.
        network: empty for corrupting, and for choosing: the data set.
        condition: the data sets and the corruption; empty for training.
    """

    does: str
    network: str
    condition: str


Work = Mapping[Part, float]  # seconds


@dataclass(frozen=True)
class ClaimCost:
    """Claims of one ledger item that need the same work, and that work."""

    item: str
    sentences: tuple[str, ...]
    work: Work

    def seconds(self, *does: str, other: Iterable["ClaimCost"] = ()) -> float:
        """Return the seconds of some kinds of work (none: all) that no other claim needs."""
        shared = {part for one in other for part in one.work}
        return sum(
            seconds for part, seconds in self.work.items()
            if part not in shared and (not does or part.does in does)
        )  # fmt: skip

    def names(self, does: str, field: int) -> set[str]:
        """Return the networks (1) or conditions (2) of a kind of work."""
        return {part[field] for part in self.work if part.does == does}


def all_work(chapters: Sequence[Chapter], profile: Profile) -> dict[Part, float]:
    """Return all training and prediction work for some chapters."""
    found: dict[Part, float] = {}
    for chapter in chapters:
        for part in chapter.parts(profile):
            need = needs(part, profile)
            for key in need.evaluated:
                found |= _shown(key, need, need.networks, ("", *key.corruptions), profile)
            found |= _trained(need.networks, profile)
    return found


def claim_costs(chapters: Sequence[Chapter], profile: Profile) -> list[ClaimCost]:
    """Return the work that each claim needs; claims of an item with the same needs are merged."""
    by_name = {chapter.notebook: chapter for chapter in chapters}
    found: dict[tuple[str, frozenset[Part]], ClaimCost] = {}
    for row in (row for paper in paper_keys() for row in reported.reported(paper)):
        chapter = by_name.get(reported.item(row.item).notebook)
        if not row.is_claim or chapter is None:
            continue
        work = _needed(parse(row.metric, row.dataset), row.dataset, chapter, profile)
        key = row.item, frozenset(work)
        before = found[key].sentences if key in found else ()
        found[key] = ClaimCost(row.item, (*before, row.sentence), work)
    return list(found.values())


def _needed(claim: Claim, dataset: str | None, chapter: Chapter, profile: Profile) -> Work:
    """Return the work that a claim needs, including chapters whose networks its own one shows."""
    found: dict[Part, float] = {}
    for part in chapter.parts(profile):
        need = needs(part, profile)
        ours = part.models(profile)
        for term in claim.terms:
            if term.metric in OF_NO_NETWORK:
                continue
            by_itself = term.corruption == STYLE_TRANSFER
            networks = list(_networks(term, need, ours))
            if networks and part.baseline and term.metric in DIVIDED:
                networks += [one for one in need.networks if one.model == ours[profile.baseline]]
            networks = list(dict.fromkeys(one for each in networks for one in lineage(each)))
            found |= _trained(networks, profile)
            for key, corruptions in () if by_itself else _conditions(term, dataset, need):
                found |= _shown(key, need, networks, corruptions, profile)
    return found


def _networks(term: Where, need: Needs, ours: Mapping[str, str]) -> Iterator[Network]:
    """Yield the networks of a chapter that a term concerns; all if it names none."""
    if term.model is None:
        wanted = set(ours)
    elif term.model.startswith("@"):
        wanted = set(reported.networks(term.model.removeprefix("@")).networks)
    else:
        wanted = {name for name in ours if fnmatchcase(name, term.model)}
    models = {ours[name] for name in wanted & ours.keys()}
    yield from (one for one in need.networks if one.model in models)


def _conditions(
    term: Where, dataset: str | None, need: Needs
) -> Iterator[tuple[Evaluated, tuple[str, ...]]]:
    """Yield the data sets on which a term's networks are evaluated, with their corruptions."""
    role = (term.dataset or dataset or "").partition("/")[0]
    corrupted = [key for key in need.evaluated if key.corruptions]
    clean = {key: roles for key, roles in need.evaluated.items() if not key.corruptions}
    fitting = [key for key, roles in clean.items() if role in roles]
    if fitting or not corrupted:
        yield from ((key, ("",)) for key in fitting or clean)
    elif term.corruption or role in CORRUPTED or term.metric in DIVIDED:
        for key in corrupted:
            named = tuple(name for name in key.corruptions if name == term.corruption)
            common = tuple(name for name in key.corruptions if name in COMMON)
            yield key, ("", *(named or (common if term.metric in OF_COMMON else key.corruptions)))
    else:
        yield from ((key, ("",)) for key in corrupted)


def _trained(networks: Iterable[Network], profile: Profile) -> dict[Part, float]:
    return {
        Part("train", str(one), ""): costs.training(one, profile)
        for one in networks
        if is_trained_here(one)
    }


def _shown(
    key: Evaluated,
    need: Needs,
    networks: Iterable[Network],
    corruptions: Iterable[str],
    profile: Profile,
) -> dict[Part, float]:
    """Return the work of evaluating networks on images, and of corrupting and choosing these."""
    counts = [costs.images(name, profile) for name in key.datasets]
    images = sum(min(count, key.limit or count) for count in counts)
    shown = [one for one in networks if key.embeddings or finds_boxes(one) == key.boxes]
    found: dict[Part, float] = {}
    for name in corruptions if shown else ():
        number = images * (len(key.severities) if name else 1)
        condition = " + ".join([*key.datasets, *filter(None, [name])])
        if name:
            found[Part("corrupt", "", condition)] = costs.corrupting(number)
        for one in shown:
            found[Part("predict", str(one), condition)] = costs.predicting([one], number)
    for name in (name for name in need.filters if name in key.datasets and shown):
        filters = need.filters[name]
        found[Part("choose", name, "")] = costs.filtering(name, filters, profile)
        found |= _trained([one for each in filters for one in lineage(each)], profile)
    return found
