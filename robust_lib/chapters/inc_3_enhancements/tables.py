"""Enhanced networks beside the standard one: tables and dots, in percent and in points."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import pandas as pd

from robust_lib.chapters.tables import cell_of, printed_values
from robust_lib.config.enhancements import Stability
from robust_lib.config.manifests import load_model, model_names
from robust_lib.figures.bars import Interval
from robust_lib.figures.style import corruption_label
from robust_lib.protocols.corruption_error.enhancements import STABILITY, change
from robust_lib.results import notation
from robust_lib.results.estimate import Estimate
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import Network, network_title
from robust_lib.vocabulary import COMMON

NOISES: Mapping[str, str] = MappingProxyType(
    {name: corruption_label(name) for name in ("gaussian_noise", "shot_noise", "impulse_noise")}
)
MEAN = "mCE"
"""What the row of the mean over the fifteen corruptions is called."""

Members = Mapping[str, str]
"""The paper's name of a network -> ours."""

Both = tuple[Interval, Interval]


def stability_of(name: str) -> Stability | None:
    """Return what stability training adds to a network's recipe, None for one without.

    >>> stability_of("resnet18_mini_stability_1_2")
    Stability(noise=0.01, weight=0.05)
    """
    model = Network.read(name).model
    return load_model(model).stability if model in model_names() else None


def stability_frame(results: Results, members: Members, base: str | None) -> pd.DataFrame:
    """Return a row a network of stability training, those without it first.

    >>> row = Row(item=STABILITY, dataset="toy", model="vgg11", metric="error", value=0.25, n=8,
    ...           n_full=8)
    >>> stability_frame(Results.of([row]), {"resnet50": "vgg11"}, "vgg11").iloc[0].to_dict()
    ... # doctest: +NORMALIZE_WHITESPACE
    {'Network': 'VGG-11', 'Noise': None, 'Weight': None,
     'Clean error': Interval(value=25.0, low=None, high=None), 'mCE': None, '± mCE': None,
     '± Gaussian noise': None, '± Shot noise': None, '± Impulse noise': None}
    """
    rows = []
    for ours in members.values():
        stability = stability_of(ours)
        line: dict[str, object] = {
            "Network": network_title(ours),
            "Noise": None if stability is None else f"{stability.noise:g}",
            "Weight": None if stability is None else f"{stability.weight:g}",
            "Clean error": _cell(results, STABILITY, ours, metric="error"),
            MEAN: _cell(results, STABILITY, ours, metric="mce"),
            f"± {MEAN}": _difference(results, STABILITY, ours, base, metric="mce"),
        }
        for name, label in NOISES.items():
            conditions = {"metric": "ce", "corruption": name}
            line[f"± {label}"] = _difference(results, STABILITY, ours, base, **conditions)
        rows.append(line)
    return pd.DataFrame(rows).astype(object)


def stability_map(results: Results, members: Members) -> tuple[pd.DataFrame, dict[str, float]]:
    """Return mCE in percent: of weights by noises, and by title of the networks without.

    >>> row = Row(item=STABILITY, dataset="toy", model="vgg11", metric="mce", value=0.75, n=8,
    ...           n_full=8)
    >>> tuned = "resnet18_mini_stability_1_2"
    >>> rows = Results.of([row, Row(item=STABILITY, dataset="toy", model=tuned, metric="mce",
    ...                             value=1.0, n=8, n_full=8)])
    >>> frame, beside = stability_map(rows, {"resnet50": "vgg11", "resnet50_stability_1_2": tuned})
    >>> frame.to_dict(), beside
    ({'0.01': {'0.05': 100.0}}, {'VGG-11': 75.0})
    """
    found: dict[float, dict[float, float]] = {}
    beside: dict[str, float] = {}
    for ours in members.values():
        value = value_of(results, STABILITY, ours)
        stability = stability_of(ours)
        if value is None:
            continue
        if stability is None:
            beside[network_title(ours)] = value
        else:
            found.setdefault(stability.noise, {})[stability.weight] = value
    frame = pd.DataFrame(found).sort_index().sort_index(axis=1)
    return frame.rename(index=_number, columns=_number), beside


def map_words(frame: pd.DataFrame, beside: Mapping[str, float]) -> str:
    """Return from where to where a map of mCEs goes, and what stands beside it, in words.

    >>> map_words(pd.DataFrame({"0.1": {"0.01": 99.0, "0.05": 101.5}}), {"VGG-11": 98.0})
    'from 99.0 to 101.5 %; VGG-11 98.0 %'
    """
    values = frame.to_numpy(dtype=float)
    parts = [f"from {values.min():.1f} to {values.max():.1f} %"] if values.size else []
    parts += [f"{name} {value:.1f} %" for name, value in beside.items()]
    return "; ".join(parts) or "none in this run"


def value_of(results: Results, item: str, model: str | None) -> float | None:
    """Return a network's mCE in percent, None where it has none.

    >>> value_of(Results(), "inc-fig4", "vgg11") is None
    True
    """
    found = results.select(item=item, model=model, metric="mce").rows
    return 100 * found[0].value if found else None


def changes_frame(results: Results, item: str, members: Members, base: str | None) -> pd.DataFrame:
    """Return a row a network of an item: clean error, mCE, and how far above the standard's.

    >>> one = Row(item="inc-fig4", dataset="toy", model="vgg11", metric="error", value=0.25, n=8,
    ...           n_full=8)
    >>> frame = changes_frame(Results.of([one]), "inc-fig4", {"resnet50": "vgg11"}, "vgg11")
    >>> frame.columns.tolist()
    ['Network', 'Clean error', 'mCE', '± clean error', '± mCE']
    """
    rows = []
    for ours in members.values():
        counted = results.select(item=item, model=ours, metric="lower_ces").rows
        line: dict[str, object] = {
            "Network": network_title(ours),
            "Clean error": _cell(results, item, ours, metric="error"),
            MEAN: _cell(results, item, ours, metric="mce"),
            "± clean error": _difference(results, item, ours, base, metric="error"),
            f"± {MEAN}": _difference(results, item, ours, base, metric="mce"),
        }
        if results.select(item=item, metric="lower_ces").rows:
            line["Lower CEs"] = _count(counted[0]) if counted else None
        rows.append(line)
    return pd.DataFrame(rows).astype(object)


def size_frame(results: Results, item: str, members: Members) -> pd.DataFrame:
    """Return a row a network of an item: how it is built, clean error and mCE.

    >>> one = Row(item="inc-fig4", dataset="toy", model="vgg11", metric="error", value=0.25, n=8,
    ...           n_full=8)
    >>> size_frame(Results.of([one]), "inc-fig4", {"vgg11": "vgg11"}).columns.tolist()
    ['Network', 'Clean error', 'mCE']
    """
    rows = [
        {
            "Network": network_title(ours),
            "Clean error": _cell(results, item, ours, metric="error"),
            MEAN: _cell(results, item, ours, metric="mce"),
        }
        for ours in members.values()
    ]
    return pd.DataFrame(rows).astype(object)


def change_dots(
    results: Results, item: str, members: Members, base: str | None
) -> dict[str, dict[str, Interval]]:
    """Return title of a network -> corruption -> points above the standard's CE; the mean last.

    >>> change_dots(Results(), "inc-claim-clahe", {"resnet50": "vgg11"}, "vgg11")
    {}
    """
    found: dict[str, dict[str, Interval]] = {}
    for ours in members.values():
        if base is None or ours == base:
            continue
        dots = {
            corruption_label(name): _points(one)
            for name in COMMON
            if (one := change(results.select(item=item), ours, base, metric="ce", corruption=name))
            is not None
        }
        mean = change(results.select(item=item), ours, base, metric="mce")
        found[network_title(ours)] = dots | ({} if mean is None else {MEAN: _points(mean)})
    return {title: dots for title, dots in found.items() if dots}


def rows_of(dots: Mapping[str, Mapping[str, Interval]]) -> list[str]:
    """Return the rows of `change_dots`, in the benchmark's order.

    >>> rows_of({"a": {"Fog": (1.0, 1.0, 1.0)}, "b": {"Fog": (1.0,) * 3, "mCE": (1.0,) * 3}})
    ['Fog', 'mCE']
    """
    return list(dict.fromkeys(name for values in dots.values() for name in values))


def noise_dots(results: Results, item: str, members: Members) -> dict[str, dict[str, Interval]]:
    """Return title of a network -> noise -> its CE in percent.

    >>> row = Row(item="inc-fig3", dataset="toy", model="vgg11", metric="ce", value=0.75, n=8,
    ...           n_full=8, corruption="shot_noise")
    >>> noise_dots(Results.of([row]), "inc-fig3", {"resnet50": "vgg11"})
    {'VGG-11': {'Shot noise': (75.0, 75.0, 75.0)}}
    """
    found = {
        network_title(ours): {
            NOISES[str(row.corruption)]: _percent(row)
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
            found[network_title(model)] = (_percent(rows[0][0]), _percent(rows[1][0]))
    return found


def printed_both(item: str) -> dict[str, Both]:
    """Return title of a network -> clean error and mCE as the paper prints them, percent.

    >>> error, mce = printed_both("inc-fig4")["DenseNet-161"]
    >>> round(error[0], 1), round(mce[0], 1)
    (22.9, 66.4)
    """
    errors, means = printed_values(item, "error"), printed_values(item, "mce")
    return {
        network_title(name): ((100 * errors[name],) * 3, (100 * means[name],) * 3)
        for name in errors
        if name in means
    }


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
) -> dict[str, dict[str, dict[str, Interval]]]:
    """Return panel -> source -> title of a network -> number, percent; the paper's where it has it.

    The paper's number of a network stands beside that of ours which plays its part.

    >>> panels = both_panels(Results(), "inc-claim-small", {"condensenet_4": "condensenet_4_mini"})
    >>> {name: round(dots["the paper"]["CondenseNet (4)-like"][0], 1)
    ...  for name, dots in panels.items()}
    {'clean error': 26.3, 'mCE': 80.8}
    """
    found: dict[str, dict[str, dict[str, Interval]]] = {}
    for place, (title, metric) in enumerate((("clean error", "error"), (MEAN, "mce"))):
        ours = both(results, item, list(members.values()))
        printed = printed_values(item, metric)
        found[title] = {
            "this run": {name: dots[place] for name, dots in ours.items()},
            "the paper": {
                network_title(ours): (100 * printed[paper],) * 3
                for paper, ours in members.items()
                if paper in printed
            },
        }
    return found


def _cell(results: Results, item: str, model: str, **conditions: object) -> object:
    rows = results.select(item=item, model=model, corruption=None, **conditions).rows
    return cell_of(rows[0]) if rows else None


def _difference(
    results: Results, item: str, model: str, base: str | None, **conditions: object
) -> object:
    if base is None or model == base:
        return None
    found = change(results.select(item=item), model, base, **conditions)
    if found is None:
        return None
    value, low, high = _points(found)
    return notation.Interval(value, *((low, high) if low < high else (None, None)))


def _points(found: Estimate) -> Interval:
    ends = (found.value if end is None else end for end in (found.low, found.high))
    low, high = ends
    return 100 * found.value, 100 * low, 100 * high


def _percent(row: Row) -> Interval:
    low, high = (row.value if end is None else end for end in (row.low, row.high))
    return 100 * row.value, 100 * low, 100 * high


def _count(row: Row) -> notation.Interval:
    return notation.Interval(row.value, row.low, row.high)


def _number(value: float) -> str:
    return f"{value:g}"
