"""The comparison of our numbers with the printed ones: a verdict and a sentence for each.

A printed number is judged only if ours is for the same model on the same data in full: another data
set, a subset (n < n_full) or another model in its role is "not comparable" by itself. Directional
claims are judged on any data; ranges ("about 10 %") are judged like numbers. If a setting that we
adopt from the paper agrees, this is not a finding: it is "as printed". A claim that no run could
refute is not a finding either, such as the claim that the worst of several frames is no better than
one of them: it holds "by construction".

Metric names, in our results and in the papers' (`row.METRICS` has all, by kind):

    error accuracy mean_error
        top-1; mean_error is over the five severities of a corruption or, without a corruption, over
        all fifteen
    ce mce relative_ce relative_mce
        as in [inc]; mean_ce is over a set of corruptions (set1, set2), mean_ce_gain its difference
        to the standard model, largest_ce the largest of the fifteen
    robustness_score robustness_gain
        accuracy over clean accuracy, as in [overlap], and its difference to the standard model
    overlap mean_overlap group_overlap largest_overlap
        for a pair, for one corruption with all others, within a group (noise, texture, all) or
        across two, and the largest with any of the fifteen; rank_correlation is for two
        architectures, rank_correlation_between_seeds its ceiling
    aupr auroc fpr_at_recall
        out-of-distribution detection
    rms_calibration_error rms_calibration_error_all_bins
        the first is the authors', which leaves out the last bin
    aurra response_rate_accuracy
        the latter with k = percent answered; aurra_change and rms_calibration_error_change are from
        one network of a pair to the other
    pm_accuracy pm_map pm_localization_map
        worst case over k frames to either side, k = 0 for the anchor alone; _low and _high are the
        ends of a printed interval
    drop map_drop localization_map_drop gain
        differences of two rates; relative_drop is a quotient; still_share is the share of a drop
        that also occurs with a still camera
    map mar map_without_ood
        COCO's averages; the last without objects of out-of-distribution classes
    error_cost
        rise of the mAP without one kind of a detector's errors
    worst_third_share
        share of all frame sets counted as wrong in the third of the classes with most of them;
        worst_third_by_lot if they are distributed at random, worst_third_excess the way from there
        to all of them
    classes_with_drop classes_mostly_inside kept_share
        shares of classes, of candidates
    probability_change attribution_inside
        of interventions and of integrated gradients
    turned_right turned_wrong
        shares of predictions that an intervention makes correct or wrong; net_change is the first
        minus the second, net_change_of_edit that of one of several images
    objects frames anchors classes ...
        counts
    learning_rate epochs ...
        settings
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from robust_lib.config.manifests import model_title
from robust_lib.errors import ResultError
from robust_lib.results.claims import Claim, parse
from robust_lib.results.judgement import judge
from robust_lib.results.lookup import Lookup, Where
from robust_lib.results.notation import SIGNS, digits_beside, side_by_side, spelled
from robust_lib.results.reported import Reported, data_title, reported
from robust_lib.results.row import METRICS, Row
from robust_lib.results.table import Results
from robust_lib.results.verdicts import Verdict, meaning


def compare(
    results: Results,
    item: str,
    *,
    roles: Mapping[str, str] | None = None,
    datasets: Mapping[str, str] | None = None,
    defined: bool = True,
) -> tuple[Verdict, ...]:
    """Return one verdict for each number and claim that the paper prints for a ledger item.

    Args:
        results: our numbers; those of other items are used if the item has none of its own.
        item: ledger id, such as "inc-tab1".
        roles: the paper's name of a model -> our stand-in.
        datasets: the paper's name of a data set -> our stand-in. Needed only if an item prints the
            same metric for several data sets.
        defined: whether numbers are defined as in the paper; if not, claims that follow from the
            paper's definition can fail, and are judged as directions.

    Raises:
        InputError: no item has this id.
        ResultError: a claim that follows by construction is contradicted.
    """
    rows = reported(item) if defined else tuple(map(_open, reported(item)))
    lookup = Lookup(results=results, item=item, roles=roles or {}, datasets=datasets or {})
    numbers = [row for row in rows if not row.is_claim]
    return tuple(
        _claimed(row, lookup) if row.is_claim else _printed(row, lookup, numbers) for row in rows
    )


def _open(row: Reported) -> Reported:
    return row.model_copy(update={"status": "direction"}) if row.status == "construction" else row


def _claimed(row: Reported, lookup: Lookup) -> Verdict:
    claim = parse(row.metric, row.dataset)
    judgement = judge(claim, lookup, as_printed=row.status in ("range", "construction"))
    word: str = judgement.word
    arithmetic = judgement.arithmetic
    if row.status == "range" and (reasons := _strange(claim, judgement.rows, lookup)):
        judgement = judge(claim, lookup)  # no longer as a printed number: ours is of a sample
        ours = judgement.arithmetic.removesuffix(f": {judgement.word}")
        word, arithmetic = "not comparable", f"{ours}: not comparable, {' and '.join(reasons)}"
    if row.status == "construction" and word not in ("missing", "premise fails"):
        _check_construction(row, claim, lookup)
        word, arithmetic = "by construction", f"{arithmetic}; this follows by definition"
    return _verdict(
        row,
        word,
        arithmetic,
        sentence=row.sentence,
        paper=_paper(claim, row.item),
        here=judgement.here,
        judgement=judgement,
    )


def _check_construction(row: Reported, claim: Claim, lookup: Lookup) -> None:
    """Raise ResultError if numbers contradict a claim that follows from their definition."""
    found = judge(claim.with_ties, lookup, as_printed=True)
    if found.word == "does not hold":
        raise ResultError(
            f"Expected the numbers of {row.item} to agree with {row.metric}, which is true by "
            f"definition, but got {found.arithmetic}. Either one of them is wrong, or "
            "the claim can fail and must be a direction."
        )


def _paper(claim: Claim, item: str) -> str:
    """Return the printed numbers that a claim compares; empty if there are none."""
    printed = {
        (row.metric, row.model, row.corruption, row.severity, row.k, row.dataset): row
        for row in reversed(reported(item.partition("-")[0]))
        if row.number is not None
    }
    texts = []
    for side in claim.sides:
        for term in side.terms:
            key = (term.metric, term.model, term.corruption, term.severity, term.k, term.dataset)
            if len(side.terms) > 1 or key not in printed:
                return ""
            texts.append(f"{printed[key].value}{SIGNS.get(printed[key].unit, '')}")
    return side_by_side(texts)


def _strange(claim: Claim, rows: Sequence[Row], lookup: Lookup) -> list[str]:
    """Return the obstacles to comparing our numbers with a printed range; empty if none."""
    theirs = {term.dataset for term in claim.terms}
    stand_ins = {ours for paper, ours in lookup.roles.items() if paper != ours}
    reasons = []
    if other := sorted({row.dataset for row in rows} - theirs):
        reasons.append(f"on {' and '.join(other)}")
    if any(row.model in stand_ins for row in rows):
        reasons.append("for other models")
    if any(row.n != row.n_full for row in rows):
        reasons.append("for a subset")
    return reasons


def _printed(row: Reported, lookup: Lookup, numbers: Sequence[Reported]) -> Verdict:
    number, tolerance = row.number, row.tolerance
    if number is None or tolerance is None:
        return _verdict(row, "not comparable", f"printed {row.value!r}: given in words only")
    metric, end = _interval_end(row.metric)
    found = lookup.find(
        Where(
            metric=metric,
            model=row.model,
            corruption=row.corruption,
            severity=row.severity,
            k=row.k,
            dataset=row.dataset,
            exact=len({other.dataset for other in numbers if other.metric == row.metric}) > 1,
        )
    )
    if isinstance(found, str):
        if METRICS[metric] == "setting":
            arithmetic = f"printed {row.value}: a setting of the paper that this run does not state"
            return _verdict(row, "not comparable", arithmetic)
        return _verdict(row, "missing", f"{found}: missing")
    ours = getattr(found, end) if end else found.value
    if ours is None:
        return _verdict(row, "missing", f"no interval for {metric} of {row.model}: missing")
    word, arithmetic = _judged(row, found, ours, number, tolerance, has_end=end is not None)
    return _verdict(
        row,
        word,
        arithmetic,
        our_model=found.model,
        our_dataset=found.dataset,
        ours=ours,
        low=None if end else found.low,
        high=None if end else found.high,
        n=found.n,
        difference=ours - number,
    )


def _judged(
    row: Reported, found: Row, ours: float, number: float, tolerance: float, *, has_end: bool
) -> tuple[str, str]:
    printed = spelled(row.value, row.unit)
    if reasons := _obstacles(row, found):
        beside = f"ours {_spelled(ours, row)}, printed {printed}"
        return "not comparable", f"{beside}: not comparable, {' and '.join(reasons)}"
    if abs(ours - number) <= tolerance * (1 + 1e-9):
        if row.status == "setting":
            return "as printed", f"{printed}, a setting adopted from the paper: as printed"
        mine = _spelled(ours, row, more=1)
        return "match", f"ours {mine} rounds to the printed {printed}: match"
    if not has_end and found.low is not None and found.high is not None:
        mine = _spelled(ours, row, more=1)
        ends = f"[{_spelled(found.low, row, more=1)}, {_spelled(found.high, row, more=1)}]"
        if found.low <= number <= found.high:
            return (
                "within interval",
                f"printed {printed} is within ours {mine} {ends}: within interval",
            )
        return "differs", f"printed {printed} is outside ours {mine} {ends}: differs"
    mine, gap = (_spelled(one, row, more=1) for one in (ours, ours - number))
    sign = "+" if ours > number else ""
    return "differs", f"ours {mine} minus the printed {printed} is {sign}{gap}: differs"


def _obstacles(row: Reported, found: Row) -> list[str]:
    """Return the obstacles to judging our number by the printed one; empty if there are none."""
    reasons = _APART.findall(row.note)
    if row.dataset is not None and found.dataset != row.dataset:
        reasons.append(f"on other data ({data_title(str(found.dataset))})")
    if found.model != row.model:
        ours, theirs = (model_title(str(one)) for one in (found.model, row.model))
        reasons.append(f"for {ours} instead of {theirs}")
    if found.n != found.n_full:
        reasons.append(f"a subset, {found.n} of {found.n_full}")
    return reasons


_APART = re.compile(r"not comparable: ([^;]+)")
_ERRATUM = re.compile(r"see erratum ([a-z0-9-]+)")


def _spelled(value: float, row: Reported, more: int = 0) -> str:
    """Return our number in the printed unit, with more digits if required to show its side."""
    exact = row.status == "setting"
    places = digits_beside(value, row.unit, row.decimals, exact=exact, more=more)
    return spelled(value, row.unit, places)


def _interval_end(metric: str) -> tuple[str, str | None]:
    base, _, end = metric.rpartition("_")
    return (base, end) if metric not in METRICS and end in ("low", "high") else (metric, None)


def _verdict(row: Reported, word: str, arithmetic: str, **ours: Any) -> Verdict:
    if meaning(word).stance == "against" and (found := _ERRATUM.search(row.note)):
        arithmetic = f"{arithmetic}; see erratum {found[1]}"
    return Verdict(
        item=row.item,
        model=row.model,
        corruption=row.corruption,
        severity=row.severity,
        k=row.k,
        dataset=row.dataset,
        metric=row.metric,
        status=row.status,
        reported=row.value,
        unit=row.unit,
        decimals=row.decimals,
        verdict=word,
        arithmetic=arithmetic,
        locator=row.locator,
        **ours,
    )
