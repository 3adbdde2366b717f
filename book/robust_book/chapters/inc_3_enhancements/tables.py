"""Enhanced networks beside the standard one: tables and dots, in percent and in points."""

from collections.abc import Mapping
from types import MappingProxyType

import pandas as pd

from robust_book.chapters import view
from robust_lib.config.enhancements import Stability
from robust_lib.config.manifests import load_model, model_names
from robust_lib.protocols.corruption_error.enhancements import STABILITY, change
from robust_lib.results.estimate import Estimate
from robust_lib.results.interval import PercentInterval, in_percent
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import Network, network_title
from robust_lib.vocabulary import corruption_label

NOISES: Mapping[str, str] = MappingProxyType(
    {name: corruption_label(name) for name in ("gaussian_noise", "shot_noise", "impulse_noise")}
)
MEAN = "mCE"
"""What the row of the mean over the fifteen corruptions is called."""

Members = Mapping[str, str]
"""The paper's name of a network -> ours."""


def stability_of(name: str) -> Stability | None:
    """Return what stability training adds to a network's recipe, None for one without.

    >>> stability_of("resnet18_mini_stability_1_2")
    Stability(noise=0.01, weight=0.05)
    """
    model = Network.read(name).model
    return load_model(model).stability if model in model_names() else None


def stability_frame(results: Results, members: Members, base: str | None) -> pd.DataFrame:
    """Return a row a network of stability training, those without it first; mCE is in the map.

    >>> row = Row(item=STABILITY, dataset="toy", model="vgg11", metric="error", value=0.25, n=8,
    ...           n_full=8)
    >>> stability_frame(Results.of([row]), {"resnet50": "vgg11"}, "vgg11").iloc[0].to_dict()
    ... # doctest: +NORMALIZE_WHITESPACE
    {'Network': 'VGG-11', 'Clean error': Cell(value=25.0, low=None, high=None), '± mCE': None,
     '± Gaussian noise': None, '± Shot noise': None, '± Impulse noise': None}
    """
    rows = []
    for ours in members.values():
        line: dict[str, object] = {
            "Network": network_title(ours),
            "Clean error": _cell(results, STABILITY, ours, metric="error"),
            f"± {MEAN}": _difference(results, STABILITY, ours, base, metric="mce"),
        }
        for name, label in NOISES.items():
            conditions = {"metric": "ce", "corruption": name}
            line[f"± {label}"] = _difference(results, STABILITY, ours, base, **conditions)
        rows.append(line)
    return pd.DataFrame(rows, dtype=object)


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
    return pd.DataFrame(rows, dtype=object)


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
    return pd.DataFrame(rows, dtype=object)


def _cell(results: Results, item: str, model: str, **conditions: object) -> object:
    rows = results.select(item=item, model=model, corruption=None, **conditions).rows
    return view.cell(rows[0]) if rows else None


def _difference(
    results: Results, item: str, model: str, base: str | None, **conditions: object
) -> object:
    if base is None or model == base:
        return None
    found = change(results.select(item=item), model, base, **conditions)
    if found is None:
        return None
    return view.cell_of(points(found))


def points(found: Estimate) -> PercentInterval:
    """Return a difference with its ends, in points; itself without an interval.

    >>> points(Estimate(value=0.25, n=8, n_full=8))
    (25.0, 25.0, 25.0)
    """
    return in_percent(found.value, found.low, found.high)


def _count(row: Row) -> str:
    ends = "" if row.low is None or row.high is None else f" [{row.low:.0f}, {row.high:.0f}]"
    return f"{row.value:.0f}{ends}"


def _number(value: float) -> str:
    return f"{value:g}"
