"""Rows of results: one number with all of its conditions, and the closed list of metrics."""

import math
import operator
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from robust_lib.errors import ResultError, one_of
from robust_lib.results.estimate import Draws, Estimate
from robust_lib.results.interval import PercentInterval, ScoreInterval, in_percent

Record = TypeVar("Record")
Kind = Literal["rate", "ratio", "relative", "difference", "score", "tally", "count", "setting"]

# rate: a share in [0, 1].  ratio: a quotient of errors, never negative, often above 1.
# relative: a quotient of differences, or a difference of quotients, of any sign.
# difference: of two rates, in [-1, 1].
# score: any finite number.  tally: how many of several, or a mean of such over seeds.
# count: a whole number.  setting: a number that a person chose.
_NAMES: dict[Kind, str] = {
    "rate": """
        accuracy top5_accuracy error mean_error confidence share kept_share precision recall
        aupr auroc fpr_at_recall low_level_auroc aurra response_rate_accuracy rms_calibration_error
        rms_calibration_error_all_bins
        pm_accuracy pm_map pm_localization_map classes_with_drop
        worst_third_share worst_third_by_lot
        map mar mpc map_without_ood attribution_inside classes_mostly_inside
        classes_mostly_inside_signed random_inside area_inside lost_share turned_right
        turned_wrong""",
    "ratio": "ce mce mean_ce largest_ce ratio_of_means robustness_score still_share rpc",
    "relative": """
        relative_ce relative_mce mean_ce_gain robustness_gain relative_drop signed_inside
        worst_third_excess""",
    "difference": """
        drop gain median_drop median_class_drop drop_of_best drop_elsewhere map_drop
        localization_map_drop median_map_drop smallest_map_drop largest_map_drop
        probability_change signed_probability_change net_change net_change_of_edit error_cost
        rms_calibration_error_change aurra_change""",
    "score": """
        overlap mean_overlap group_overlap largest_overlap rank_correlation
        rank_correlation_between_seeds
        r_squared slope intercept training_density""",
    "tally": "lower_ces",
    "count": """
        images objects classes frames videos anchors models model_types parameters images_reviewed
        images_per_class sample_classes subtypes_per_class subtypes corruption_types
        distinct_corruptions severities imagenet_classes frames_with_several_labels
        fewest_neighbours most_neighbours median_neighbours clusters examples pairs
        augmentations""",
    "setting": """
        learning_rate highest_learning_rate lowest_learning_rate momentum weight_decay batch_size
        epochs warmup_epochs iterations milestone rate_drop image_size crops corrupted_share
        flip_probability epsilon attack_steps uniform_noise stability_weight held_out_subtypes
        smallest_thickness largest_thickness smallest_side largest_side true_class_confidence
        images_per_confusion neighbours_each_side candidates_per_anchor annotators review_rounds
        pairs_reviewed annotation_stages questions iou_threshold threshold interval_level window
        embedding_size projected_size backgrounds swaps repeats weeks gpus lowest_frame_rate
        highest_frame_rate median_frame_rate shortest_video longest_video median_video
        highest_aupr steps lowest_fill highest_fill annotator_sets""",
}
METRICS: Mapping[str, Kind] = MappingProxyType(
    {name: kind for kind, names in _NAMES.items() for name in names.split()}
)


@dataclass(frozen=True, kw_only=True)
class Row:
    """One number with all of its conditions; None if a condition does not apply.

    Attributes:
        item: ledger id of the figure, table or claim that it belongs to.
        dataset: name of the data set; a class or group of it is written `name/group`.
        model: name of the model; None for a fact about the data.
        corruption: name of the corruption, of a set of them, or of a pair (`fog+snow`).
        severity: 1 to 5; None for a number over all severities or without corruption.
        k: the parameter of the metric: frames to either side (pm-k), or the response rate in
            percent.
        metric: a key of `METRICS`.
        convention: way of computing it, if there are several (bins, mask, storage).
        value: the number; rates, ratios and differences as fractions.
        low: lower end of its interval, as a fraction; None together with `high`.
        n: number of averaged items (images, anchors, models); None for most counts.
        n_full: number of such items in the whole data set.
        run: name of the run that computed it, whose provenance is next to the table.
        draws: the number draw by draw, so that two can be compared in pairs; not saved.
    """

    item: str
    dataset: str
    model: str | None = None
    corruption: str | None = None
    severity: int | None = None
    k: int | None = None
    metric: str
    convention: str | None = None
    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None
    n_full: int | None = None
    run: str | None = None
    draws: Draws | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        _check(self)

    @classmethod
    def of(
        cls,
        estimate: Estimate,
        *,
        item: str,
        dataset: str,
        metric: str,
        model: str | None = None,
        corruption: str | None = None,
        severity: int | None = None,
        k: int | None = None,
        convention: str | None = None,
    ) -> "Row":
        """Return the row of an estimate under these conditions.

        >>> half = Estimate(value=0.5, n=8, n_full=8)
        >>> Row.of(half, item="inc-tab1", dataset="toy", metric="error").value
        0.5
        """
        return cls(
            item=item,
            dataset=dataset,
            model=model,
            corruption=corruption,
            severity=severity,
            k=k,
            metric=metric,
            convention=convention,
            value=estimate.value,
            low=estimate.low,
            high=estimate.high,
            n=estimate.n,
            n_full=estimate.n_full,
            draws=estimate.draws,
        )

    @property
    def key(self) -> tuple[object, ...]:
        """Return the conditions, which are unique within a table of results."""
        return tuple(getattr(self, name) for name in CONDITIONS)

    @property
    def interval(self) -> ScoreInterval:
        """Return value, low and high on their own scale; the value replaces a missing end."""
        low, high = (self.value if end is None else end for end in (self.low, self.high))
        return self.value, low, high

    @property
    def percent(self) -> PercentInterval:
        """Return value, low and high in percent; the value replaces a missing end."""
        return in_percent(self.value, self.low, self.high)


COLUMNS = tuple(one.name for one in fields(Row) if one.name != "draws")
CONDITIONS = COLUMNS[: COLUMNS.index("value")]
WHOLE = ("severity", "k", "n", "n_full")
REAL = ("value", "low", "high")


def matching(
    rows: Iterable[Record], columns: Collection[str], conditions: Mapping[str, Any]
) -> tuple[Record, ...]:
    """Return the rows whose columns have these values; a list allows any of its values.

    Raises:
        ResultError: a column that the rows do not have.
    """
    for name in conditions:
        if name not in columns:
            raise ResultError(one_of("a column", name, columns))
    wanted = {
        name: tuple(value) if isinstance(value, list | tuple | set | frozenset) else (value,)
        for name, value in conditions.items()
    }
    return tuple(
        row for row in rows if all(getattr(row, name) in values for name, values in wanted.items())
    )


def row_of(columns: Mapping[str, Any]) -> Row:
    """Return the row in a line of a file, with its numbers as plain Python numbers.

    Raises:
        ResultError: an unknown or missing column, or a number that must not enter a table.
    """
    plain: dict[str, Any] = {}
    for name, value in columns.items():
        if name not in COLUMNS:
            raise ResultError(one_of("a column", name, COLUMNS))
        try:
            if value is None or (name in WHOLE and isinstance(value, float) and value != value):
                plain[name] = None
            elif name in WHOLE:
                is_whole = isinstance(value, float) and value.is_integer()
                plain[name] = int(value) if is_whole else operator.index(value)
            else:
                plain[name] = float(value) if name in REAL else str(value)
        except (TypeError, ValueError):
            kind = "a whole number" if name in WHOLE else "a number"
            raise ResultError(f"Expected {kind} in column {name}, but got {value!r}.") from None
    lacking = [name for name in ("item", "dataset", "metric", "value") if plain.get(name) is None]
    if lacking:
        raise ResultError(f"Expected every row to have {', '.join(lacking)}, but got {plain}.")
    return Row(**plain)


def _check(row: Row) -> None:
    """Raise ResultError for a row that must not enter a table."""
    if row.metric not in METRICS:
        raise ResultError(one_of("metric", row.metric, sorted(METRICS)))
    kind = METRICS[row.metric]
    if row.severity is not None and row.severity not in range(1, 6):
        raise ResultError(one_of("severity", row.severity, [1, 2, 3, 4, 5, None]))
    if row.k is not None and row.k < 0:
        raise ResultError(f"Expected k to be 0 or more, but got {row.k} for {named(row)}.")
    for name in REAL:
        number = getattr(row, name)
        if number is not None and not _possible(number, kind):
            raise ResultError(
                f"Expected the {name} of {row.metric} to be {_LIMITS[kind]}, but got {number} for "
                f"{named(row)}."
            )
    if (row.low is None) != (row.high is None):
        raise ResultError(f"Expected both ends of the interval or none for {named(row)}.")
    if row.low is not None and row.high is not None and not row.low <= row.value <= row.high:
        raise ResultError(
            f"Expected low <= value <= high, but got {row.low} <= {row.value} <= {row.high} for "
            f"{named(row)}."
        )
    if (row.n is None) != (row.n_full is None) or (
        row.n is None and kind not in ("count", "setting")
    ):
        raise ResultError(
            f"Expected n and n_full with every {row.metric}, but got n={row.n} and "
            f"n_full={row.n_full} for {named(row)}. Every number needs its n."
        )
    if row.n is not None and row.n_full is not None and not 0 < row.n <= row.n_full:
        raise ResultError(
            f"Expected 0 < n <= n_full, but got n={row.n} and n_full={row.n_full} for {named(row)}."
        )


_LIMITS: dict[Kind, str] = {
    "rate": "a fraction in [0, 1]",
    "ratio": "a finite number, 0 or more",
    "relative": "a finite number",
    "difference": "in [-1, 1]",
    "score": "a finite number",
    "tally": "a finite number, 0 or more",
    "count": "a whole number, 0 or more",
    "setting": "a finite number",
}


_ROUNDING = 1e-12


def _possible(number: float, kind: Kind) -> bool:
    if not math.isfinite(number):
        return False
    if kind == "rate":  # means of rates may miss the ends by a rounding error
        return -_ROUNDING <= number <= 1 + _ROUNDING
    if kind == "difference":
        return abs(number) <= 1 + _ROUNDING
    if kind == "count":
        return number >= 0 and number.is_integer()
    return number >= 0 or kind not in ("ratio", "tally")


def named(row: Row) -> str:
    """Return a row's conditions as text."""
    conditions = zip(CONDITIONS, row.key, strict=True)
    return ", ".join(f"{name}={value}" for name, value in conditions if value is not None)
