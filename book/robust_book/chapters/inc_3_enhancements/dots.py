"""Enhanced networks beside the standard one as dots: what the chapter's figures draw."""

from collections.abc import Mapping, Sequence

from robust_book.chapters.inc_3_enhancements.tables import MEAN, NOISES, Members, points
from robust_book.chapters.view import printed_by_network
from robust_lib.protocols.corruption_error.enhancements import change
from robust_lib.results.interval import PercentInterval, point
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.vocabulary import COMMON, corruption_label

_PAPERS = {"resnext101": "ResNeXt-101"}  # whose cardinality the paper does not print

Both = tuple[PercentInterval, PercentInterval]
"""Two numbers of a network, each with the ends of its interval."""


def change_dots(
    results: Results, item: str, members: Members, base: str | None
) -> dict[str, dict[str, PercentInterval]]:
    """Return title of a network -> corruption -> points above the standard's CE; the mean last.

    >>> change_dots(Results(), "inc-claim-clahe", {"resnet50": "vgg11"}, "vgg11")
    {}
    """
    found: dict[str, dict[str, PercentInterval]] = {}
    for ours in members.values():
        if base is None or ours == base:
            continue
        dots = {
            corruption_label(name): points(one)
            for name in COMMON
            if (one := change(results.select(item=item), ours, base, metric="ce", corruption=name))
            is not None
        }
        mean = change(results.select(item=item), ours, base, metric="mce")
        found[network_title(ours)] = dots | ({} if mean is None else {MEAN: points(mean)})
    return {title: dots for title, dots in found.items() if dots}


def rows_of(dots: Mapping[str, Mapping[str, PercentInterval]]) -> list[str]:
    """Return the rows of `change_dots`, in the benchmark's order.

    >>> rows_of({"a": {"Fog": (1.0, 1.0, 1.0)}, "b": {"Fog": (1.0,) * 3, "mCE": (1.0,) * 3}})
    ['Fog', 'mCE']
    """
    return list(dict.fromkeys(name for values in dots.values() for name in values))


def noise_dots(
    results: Results, item: str, members: Members
) -> dict[str, dict[str, PercentInterval]]:
    """Return title of a network -> noise -> its CE in percent.

    >>> from robust_lib.results.row import Row
    >>> row = Row(item="inc-fig3", dataset="toy", model="vgg11", metric="ce", value=0.75, n=8,
    ...           n_full=8, corruption="shot_noise")
    >>> noise_dots(Results.of([row]), "inc-fig3", {"resnet50": "vgg11"})
    {'VGG-11': {'Shot noise': (75.0, 75.0, 75.0)}}
    """
    found = {
        network_title(ours): {
            NOISES[str(row.corruption)]: row.percent
            for row in results.select(item=item, model=ours, metric="ce").rows
            if row.corruption in NOISES
        }
        for ours in members.values()
    }
    return {title: dots for title, dots in found.items() if dots}


def both(results: Results, item: str, models: Sequence[str]) -> dict[str, Both]:
    """Return title of a network -> its clean error and its mCE, percent.

    >>> both(Results(), "inc-fig4", ["vgg11"])
    {}
    """
    found: dict[str, Both] = {}
    for model in models:
        of_model = results.select(item=item, model=model, corruption=None)
        rows = [of_model.select(metric=metric).rows for metric in ("error", "mce")]
        if all(rows):
            found[network_title(model)] = (rows[0][0].percent, rows[1][0].percent)
    return found


def printed_both(item: str) -> dict[str, Both]:
    """Return title of a network -> clean error and mCE as the paper prints them, percent.

    >>> error, mce = printed_both("inc-fig4")["DenseNet-161"]
    >>> round(error[0], 1), round(mce[0], 1)
    (22.9, 66.4)
    """
    errors, means = (
        printed_by_network(item, metric=metric, corruption=None) for metric in ("error", "mce")
    )
    return {
        paper_title(name): (point(errors[name]), point(means[name]))
        for name in errors
        if name in means
    }


def paper_title(name: str) -> str:
    """Return how a network of the paper is called, by the paper's name of it.

    >>> paper_title("resnext101"), paper_title("densenet121")
    ('ResNeXt-101', 'DenseNet-121')
    """
    return _PAPERS.get(name, network_title(name))


def both_words(dots: Mapping[str, Both]) -> str:
    """Return the networks' errors and mCEs in words.

    >>> both_words({"VGG-11": ((25.0,) * 3, (90.0,) * 3)})
    'VGG-11 error 25.0 and mCE 90.0 %'
    """
    return "; ".join(
        f"{name} error {error[0]:.1f} and mCE {mce[0]:.1f} %" for name, (error, mce) in dots.items()
    )


def both_panels(
    results: Results, item: str, members: Members
) -> dict[str, dict[str, dict[str, PercentInterval]]]:
    """Return panel -> source -> title of a network -> number, percent; the paper's where it has it.

    The paper's number of a network stands beside that of ours which plays its part.

    >>> panels = both_panels(Results(), "inc-claim-small", {"condensenet_4": "condensenet_4_mini"})
    >>> {name: round(dots["the paper"]["CondenseNet (4)-like"][0], 1)
    ...  for name, dots in panels.items()}
    {'clean error': 26.3, 'mCE': 80.8}
    """
    found: dict[str, dict[str, dict[str, PercentInterval]]] = {}
    for place, (title, metric) in enumerate((("clean error", "error"), (MEAN, "mce"))):
        ours = both(results, item, list(members.values()))
        printed = printed_by_network(item, metric=metric, corruption=None)
        found[title] = {
            "this run": {name: dots[place] for name, dots in ours.items()},
            "the paper": {
                network_title(ours): point(printed[paper])
                for paper, ours in members.items()
                if paper in printed
            },
        }
    return found
