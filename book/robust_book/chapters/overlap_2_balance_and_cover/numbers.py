"""Numbers on balance and coverage: halves, outside corruptions, benchmarks, prose."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import pandas as pd

from robust_book.chapters import view
from robust_book.chapters.overlap import Architectures, by_network, counted
from robust_book.figures.dot_plots import Dots
from robust_book.figures.shapes import Rows
from robust_lib.protocols.overlap import gains
from robust_lib.protocols.overlap.benchmark import balance, coverage
from robust_lib.protocols.overlap.groups import HALVES
from robust_lib.protocols.overlap.halves import STANDARD, published
from robust_lib.protocols.overlap.scores import matrix
from robust_lib.results.estimate import ends_of, paired
from robust_lib.results.interval import PercentInterval, ScoreInterval, in_percent, point
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber
from robust_lib.results.notation import listed
from robust_lib.results.reported import printed
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.vocabulary import COMMON, OCCLUSION, corruption_label, is_user_function

PARTS = (*HALVES, *OCCLUSION)
OURS, PAPER = "this run", "the paper"
TITLES = {part: corruption_label(part) if part in OCCLUSION else part for part in PARTS}
HEADINGS = {
    "mean": "Mean overlap",
    "pairs": "Judged pairs",
    "nearest": "Nearest",
    "overlap": "Overlap with it",
}
NONE = "Not defined"
ROUNDING = 1e-9
_TABLE_1, _METRICS = "overlap-tab1", ["mean_ce", "mean_ce_gain", "ce"]


def by_part(results: Results, roles: Mapping[str, str]) -> dict[str, Dots]:
    """Return part -> source -> network -> its CE in percent.

    The parts are both halves, border and obstruction. The paper's number for a network is in the
    row of our stand-in.
    """
    ours: dict[str, dict[str, PercentInterval]] = {part: {} for part in PARTS}
    for row in results.select(metric=["mean_ce", "ce"], corruption=PARTS).rows:
        ours[str(row.corruption)][view.title(row)] = row.percent
    papers = {
        part: {network_title(roles.get(name, name)): point(value) for name, value in values.items()}
        for part, values in printed_by_part().items()
    }
    return {
        corruption_label(part) if part in OCCLUSION else part: {
            OURS: ours[part],
            PAPER: papers[part],
        }
        for part in PARTS
    }


def printed_by_part() -> dict[str, dict[str, float]]:
    """Return part -> the paper's name of a network -> its CE as printed, percent."""
    return {
        part: view.printed_by_network(_TABLE_1, metric=["mean_ce", "ce"], corruption=part)
        for part in PARTS
    }


def networks(parts: Mapping[str, Dots]) -> list[str]:
    """Return the networks of all parts in their order, those of this run first."""
    return list(
        dict.fromkeys(
            name for source in (OURS, PAPER) for dots in parts.values() for name in dots[source]
        )
    )


def recomputed_frame() -> pd.DataFrame:
    """Return the standard ResNet-50's mean CEs (%): as printed, and from both lists of its CEs."""
    papers, sources = printed_by_part(), (published(), published("exact"))
    rounded, exact = (
        {str(row.corruption): 100 * row.value for row in source.rows} for source in sources
    )
    return pd.DataFrame(
        {
            "Half": half,
            "Printed": papers[half][STANDARD],
            "From the whole percentages": rounded[half],
            "From the exact errors": exact[half],
        }
        for half in HALVES
    )


def occlusion_errors_frame(results: Results) -> pd.DataFrame:
    """Return one row per network: error (%) on border and obstruction, mean of the severities.

    The reader's own corruption is next to them.
    """
    rows = [
        row
        for row in results.select(metric="mean_error").rows
        if row.corruption in OCCLUSION or is_user_function(str(row.corruption))
    ]
    frame = pd.DataFrame(
        {
            "Network": [view.title(row) for row in rows],
            "corruption": [corruption_label(str(row.corruption)) for row in rows],
            "error": [100 * row.value for row in rows],
        }
    )
    wide = frame.pivot_table(index="Network", columns="corruption", values="error", sort=False)
    return wide.reset_index().rename_axis(columns=None)


def halves_frame(results: Results) -> pd.DataFrame:
    """Return the paper's Table 1 for this run: CEs by network, in percent, and their changes."""
    cells = {
        (str(row.model), row.metric, str(row.corruption)): 100 * row.value
        for row in results.select(metric=_METRICS).rows
    }
    errors = results.select(metric="error", corruption=None).rows
    clean = {str(row.model): 100 * row.value for row in errors}
    return _halves(cells, list(clean), clean)


def printed_halves_frame() -> pd.DataFrame:
    """Return Table 1 as the paper prints it, in percent; it prints no clean errors."""
    cells = {
        (str(row.model), row.metric, str(row.corruption)): row.percent
        for row in printed(_TABLE_1, metric=_METRICS)
    }
    return _halves(cells, list(dict.fromkeys(model for model, _, _ in cells)))


def _halves(
    cells: Mapping[tuple[str, str, str], float],
    models: Sequence[str],
    clean: Mapping[str, float] = MappingProxyType({}),
) -> pd.DataFrame:
    lines = []
    for model in models:
        line: dict[str, object] = {"Network": network_title(model)}
        if clean:
            line["Clean error"] = clean[model]
        for half in HALVES:
            line[half] = cells.get((model, "mean_ce", half))
            line[f"change on {half}"] = cells.get((model, "mean_ce_gain", half))
        for name in OCCLUSION:
            line[corruption_label(name)] = cells.get((model, "ce", name))
        lines.append(line)
    return pd.DataFrame(lines)


def changes(results: Results, roles: Mapping[str, str], standard: str, baseline: str = "") -> Rows:
    """Return each training's CEs minus the standard network's, in points.

    The paper's changes are differences of its printed numbers; its networks are in the rows of our
    stand-ins.

    Args:
        baseline: the network that errors are divided by, which is no relative of the paper's four.
    """
    ours: dict[str, dict[str, PercentInterval]] = {part: {} for part in TITLES}
    for row in results.select(metric="mean_ce_gain", corruption=[*HALVES]).rows:
        if row.model not in (standard, baseline):
            ours[str(row.corruption)][view.title(row)] = row.percent
    for row in results.select(metric="ce", corruption=[*OCCLUSION]).rows:
        base = results.first(metric="ce", corruption=row.corruption, model=standard)
        if row.model not in (standard, baseline) and base is not None:
            ours[str(row.corruption)][view.title(row)] = _above(row, base)
    printed = {
        part: {
            network_title(roles.get(name, name)): value - values[STANDARD]
            for name, value in values.items()
            if name != STANDARD
        }
        for part, values in printed_by_part().items()
    }
    return Rows(
        {TITLES[part]: dots for part, dots in ours.items() if dots},
        {TITLES[part]: values for part, values in printed.items()},
    )


def _above(row: Row, base: Row) -> PercentInterval:
    """Return one row minus another, with the interval paired over the same images."""
    apart = paired(row.draws, base.draws)
    low, high = (None if apart is None else ends_of(apart)) or (None, None)
    return in_percent(row.value - base.value, low, high)


def spread(results: Results) -> Dots:
    """Return architecture -> corruption, or mean of a half -> its mean overlap with the others."""
    found: dict[str, dict[str, ScoreInterval]] = {}
    for row in results.select(metric="mean_overlap", corruption=[*COMMON, *HALVES]).rows:
        found.setdefault(view.title(row), {})[_labelled(str(row.corruption))] = row.interval
    return found


def halves() -> dict[str, list[str]]:
    """Return half -> labels of its corruptions and of their mean.

    >>> halves()["set2"][0], halves()["set2"][-1]
    ('Snow', 'Mean of set2')
    """
    return {
        half: [_labelled(name) for name in (*members, half)] for half, members in HALVES.items()
    }


def _labelled(name: str) -> str:
    return f"Mean of {name}" if name in HALVES else corruption_label(name)


def raw_gains(architectures: Architectures) -> dict[str, Dots]:
    """Return corruption outside ImageNet-C -> architecture -> corruption trained with -> gain.

    Gains are in points of accuracy on the corruption outside; nothing is divided.
    """
    found: dict[str, dict[str, dict[str, PercentInterval]]] = {}
    for name, overlaps in architectures.items():
        for outside in OCCLUSION:
            if outside not in overlaps.table.corruptions:
                continue
            frame = gains.against(overlaps, outside)
            found.setdefault(corruption_label(outside), {})[network_title(name)] = {
                corruption_label(str(trained)): in_percent(row["value"], row["low"], row["high"])
                for trained, row in frame.iterrows()
                if trained in COMMON
            }
    return {title: dict(dots) for title, dots in found.items()}


def cover_frame(results: Results, architectures: Architectures) -> pd.DataFrame:
    """Return one row per corruption outside and architecture: its largest overlap, times 100.

    Further columns are the number of judged pairs, and accuracies (%) on the corruption outside,
    for the standard network, the network trained with the nearest of the fifteen, and the network
    trained with the corruption itself.
    """
    lines = []
    for name, overlaps in architectures.items():
        known, scores_of = list(overlaps.table.corruptions), matrix(overlaps)
        inside = [other for other in COMMON if other in known]
        accuracy = 100 * overlaps.table.accuracy.mean(0)
        for outside in (other for other in known if other not in COMMON):
            place, scores = known.index(outside), scores_of.loc[outside, inside].dropna()
            row = results.first(metric="largest_overlap", corruption=outside, model=name)
            nearest = None if scores.empty else str(scores.idxmax())
            lines.append(
                {
                    "Corruption": corruption_label(outside),
                    "Network": network_title(name),
                    "Overlap": None if row is None else view.cell(row),
                    "Nearest": "Not judged" if nearest is None else corruption_label(nearest),
                    "Judged pairs": f"{len(scores)} of {len(COMMON)}",
                    "Standard": accuracy[0, place],
                    "With the nearest": None
                    if nearest is None
                    else accuracy[known.index(nearest) + 1, place],
                    "With itself": accuracy[place + 1, place],
                }
            )
    return pd.DataFrame(lines)


def balance_frame(overlaps: pd.DataFrame, benchmark: Sequence[str]) -> pd.DataFrame:
    """Return one row per corruption of a benchmark: its overlap with the others."""
    return _labelled_frame(balance(overlaps, benchmark))


def coverage_frame(overlaps: pd.DataFrame, benchmark: Sequence[str]) -> pd.DataFrame:
    """Return one row per corruption that a benchmark lacks: the nearest one in the benchmark."""
    return _labelled_frame(coverage(overlaps, benchmark))


def _labelled_frame(found: pd.DataFrame) -> pd.DataFrame:
    nearest = [NONE if pd.isna(name) else corruption_label(name) for name in found["nearest"]]
    frame = found.assign(nearest=nearest).rename(columns=HEADINGS)
    frame.insert(0, "Corruption", [corruption_label(str(name)) for name in found.index])
    return frame


def key_numbers(
    results: Results, standard: str, architectures: Architectures, baseline: str = ""
) -> dict[str, KeyNumber]:
    """Return the numbers in the prose.

    Args:
        baseline: the network that errors are divided by, which is no relative of the paper's four.
    """
    numbers = {"relatives": relatives(results, standard, baseline)}
    for half in HALVES:
        row = results.first(metric="mean_ce", model=standard, corruption=half)
        numbers[f"standard_{half}"] = NOT_MEASURED if row is None else _ratio(row, "")
        changes = _changes(results, standard, baseline, half)
        best = min(changes, key=lambda row: row.value, default=None)
        title = f" ({view.title(best)})" if best else ""
        numbers[f"best_{half}"] = _ratio(best, title) if best else NOT_MEASURED
        numbers[f"overlap_{half}"] = by_network(results, "mean_overlap", half)
    for name in OCCLUSION:
        numbers[f"largest_{name}"] = by_network(results, "largest_overlap", name)
        numbers[f"gains_{name}"] = counted_gains(architectures, name)
    numbers["judged"] = KeyNumber(counted(architectures))
    return numbers


def counted_gains(architectures: Architectures, outside: str) -> KeyNumber:
    """Return a text on how many networks gained accuracy on a corruption outside ImageNet-C.

    The networks are those trained with one of the fifteen. A gain counts if its whole interval is
    above 0.
    """
    frames = [
        gains.against(overlaps, outside).loc[lambda frame: frame.index.isin(COMMON)]
        for overlaps in architectures.values()
        if outside in overlaps.table.corruptions
    ]
    if not frames:
        return NOT_MEASURED
    more = sum(int((frame["low"] > ROUNDING).sum()) for frame in frames)
    less = sum(int((frame["high"] < -ROUNDING).sum()) for frame in frames)
    number = sum(map(len, frames))
    words = "accuracy, with the whole interval; networks trained with one of the fifteen"
    return KeyNumber(f"{more} of {number} networks gain, {less} lose", more, words, number)


def relatives(results: Results, standard: str, baseline: str = "") -> KeyNumber:
    """Return a text on the networks that are more robust than the standard one on both halves.

    A network is more robust if the whole interval of its change in CE is below 0.
    """
    by_half = [
        {str(row.model): row for row in _changes(results, standard, baseline, half)}
        for half in HALVES
    ]
    both = [name for name in by_half[0] if all(name in half for half in by_half)]
    if not both:
        return NOT_MEASURED
    robust = [name for name in both if all(half[name].interval[2] < 0 for half in by_half)]
    others = [network_title(name) for name in both if name not in robust]
    named = listed([network_title(name) for name in robust])
    verb = "is" if len(robust) < 2 else "are"
    who = f"{named} {verb}" if robust else f"none of the {len(both)} is"
    end = f" (not: {listed(others)})" if others else ""
    return KeyNumber(
        f"{who} more robust than the standard network on both halves{end}",
        value=len(robust),
        convention="the whole interval of the change in mean CE is below 0",
        n=len(both),
    )


def _changes(results: Results, standard: str, baseline: str, half: str) -> list[Row]:
    rows = results.select(metric="mean_ce_gain", corruption=half).rows
    return [row for row in rows if row.model not in (standard, baseline)]


def _ratio(row: Row, end: str) -> KeyNumber:
    is_change = row.metric.endswith("gain")
    number = f"{100 * row.value:{'+' if is_change else ''}.1f}".replace("-", "−")
    return KeyNumber(
        f"{number} {'points' if is_change else '%'}{end}",
        value=row.value,
        convention=row.convention or "",
        n=row.n,
    )
