"""Changes when one network replaces another, and the effect of all remedies on mCE.

In all functions, `members` are the networks of an item, the paper's name -> ours.
"""

from collections.abc import Mapping, Sequence

from robust_book.chapters import view
from robust_book.chapters.inc_3_enhancements.changes import change, stability_of
from robust_book.figures.arrows import Both
from robust_lib.protocols.corruption_error import enhancements
from robust_lib.results.estimate import Estimate
from robust_lib.results.interval import PercentInterval, point
from robust_lib.results.table import Results
from robust_lib.run.network import network_title

Members = Mapping[str, str]
REPLACED = (
    (enhancements.ALIKE, "densenet121"),
    (enhancements.ALIKE, "resnext50_32x4d"),
    ("densenet121", "densenet161"),
    ("resnext50_32x4d", "resnext101"),
)
"""The arrows of Figure 4, by the paper's names: the replaced network, and its replacement."""
_TITLES = {"resnext101": "ResNeXt-101"}  # whose cardinality the paper does not print


def pairs(members: Members) -> list[tuple[str, str]]:
    """Return pairs of our networks: the replaced network and its replacement.

    >>> pairs({"resnet50": "a", "densenet121": "b"})
    [('a', 'b')]
    """
    plain = members.get(enhancements.ALIKE) or members.get(enhancements.STANDARD)
    names = dict(members) | ({} if plain is None else {enhancements.ALIKE: plain})
    return [(names[one], names[other]) for one, other in REPLACED if {one, other} <= names.keys()]


def both_changes(results: Results, item: str, pairs: Sequence[tuple[str, str]]) -> dict[str, Both]:
    """Return replacement -> paired changes in clean error and in mCE, in points.

    Args:
        pairs: pairs (replaced, replacement) of our names.
    """
    found: dict[str, Both] = {}
    for one, other in dict.fromkeys(pairs):
        changes = [change(results, item, other, one, metric) for metric in ("error", "mce")]
        if changes[0] is not None and changes[1] is not None:
            words = replacement(network_title(one), network_title(other))
            found[words] = (changes[0].percent, changes[1].percent)
    return found


def printed_changes(item: str, members: Members) -> dict[str, Both]:
    """Return the paper's changes, under the titles of our stand-ins."""
    errors, means = (
        view.printed_by_network(item, metric=metric, corruption=None) for metric in ("error", "mce")
    )
    found: dict[str, Both] = {}
    for one, other in REPLACED:
        first = enhancements.STANDARD if one == enhancements.ALIKE else one
        ours = members.get(one) or members.get(first)
        titles = [
            network_title(mine) if mine else paper_title(name)
            for name, mine in ((first, ours), (other, members.get(other)))
        ]
        if {first, other} <= errors.keys() & means.keys():
            apart = (errors[other] - errors[first], means[other] - means[first])
            found[replacement(*titles)] = (point(apart[0]), point(apart[1]))
    return found


def replacement(one: str, other: str) -> str:
    """Return a text that names a replacement and the replaced network.

    >>> replacement("ResNet-50", "DenseNet-121")
    'DenseNet-121 for ResNet-50'
    """
    return f"{other} for {one}"


def remedies(
    results: Results, names: Mapping[str, str], among: Sequence[str]
) -> dict[str, dict[str, PercentInterval]]:
    """Return source -> remedy -> change in mCE against the standard network, in points.

    For stability training, the setting with the smallest mCE is used. The paper's changes are
    differences of its printed numbers.
    """
    ours: dict[str, PercentInterval] = {}
    papers: dict[str, PercentInterval] = {}
    for item in enhancements.ITEMS:
        members = enhancements.members(item, names, among)
        base = enhancements.standard(item, names, among)
        printed = view.printed_by_network(item, metric="mce", corruption=None)
        trained: list[Estimate] = []
        for paper, network in members.items():
            found = change(results, item, network, base, "mce")
            if found is None or paper == enhancements.STANDARD or item == "inc-claim-small":
                continue
            if stability_of(network) is not None:
                trained.append(found)
                continue
            title = network_title(network)
            ours[title] = found.percent
            if paper in printed and enhancements.STANDARD in printed:
                papers[title] = point(printed[paper] - printed[enhancements.STANDARD])
        if trained:
            least = min(trained, key=lambda one: one.value)
            ours[f"Stability training, best of {len(trained)}"] = least.percent
    return {"this run": ours, "the paper": papers}


def paper_title(name: str) -> str:
    """Return the title of a network, given the paper's name for it.

    >>> paper_title("resnext101"), paper_title("densenet121")
    ('ResNeXt-101', 'DenseNet-121')
    """
    return _TITLES.get(name, network_title(name))
