"""Two passports side by side, with paired differences where both models' answers are at hand."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Float

from robust_lib.errors import InputError
from robust_lib.html.markup import Html, text
from robust_lib.metrics.intervals import shared_rates
from robust_lib.passport.page import document
from robust_lib.passport.record import Headline, Number, Passport, Section
from robust_lib.passport.strips import percent
from robust_lib.predict.answers_file import read_answers
from robust_lib.types import Correct

Right = Mapping[str, "pd.Series[bool]"]
"""Image set -> whether a model was right about each image, by id."""

_MEANS = ("mce", "mean_ce", "ce")


@dataclass(frozen=True)
class Difference:
    """How far the second model's number exceeds the first one's, fractions.

    Attributes:
        title: of the number.
        better: which way is better.
        one: the first model's number.
        other: the second one's.
        low: lower end of the 95 % interval of the paired difference; None: not paired.
        high: its upper end.
    """

    title: str
    better: str
    one: Number
    other: Number
    low: float | None = None
    high: float | None = None

    @property
    def value(self) -> float:
        """Return the difference."""
        return self.other.value - self.one.value

    @property
    def verdict(self) -> str:
        """Return which model is better, in a word, where the interval says so."""
        if self.low is None or self.high is None or self.low <= 0 <= self.high:
            return ""
        return "second" if (self.low > 0) == (self.better == "higher") else "first"


def right_of(passport: Passport, folder: Path) -> Right:
    """Return which images a model was right about, from the file of answers beside its passport."""
    path = folder / (passport.answers or "")
    if passport.answers is None or not path.exists():
        return {}
    frame = read_answers(str(path)).frame.dropna(subset="right").set_index("id")
    return {str(name): part["right"].astype(bool) for name, part in frame.groupby("images")}


def differences(
    one: Passport, other: Passport, right: tuple[Right, Right] = ({}, {})
) -> list[Difference]:
    """Return the differences of all numbers that both plates have of the same images.

    Rates and corruption errors are paired where both models' answers to the same images are known:
    both are counted on the same resamples of the images. The normalising errors are held fixed.

    Args:
        one: the first passport.
        other: the second.
        right: of `right_of`, for each of them.

    Raises:
        InputError: passports on other data, in every benchmark that both have.
    """
    if one.profile != other.profile:
        raise InputError(
            f"Expected passports of one profile, but {one.model} is of {one.profile} and "
            f"{other.model} of {other.profile}. Their images are others."
        )
    apart, pairs = other_data(one, other), list(_pairs(one, other))
    if apart and len(apart) == len(pairs):
        reasons = "; ".join(f"{title}: {why}" for title, why in apart.items())
        raise InputError(
            f"Expected passports of the same images, but those of {one.model} and {other.model} "
            f"are others ({reasons}). Make both of the same pictures, with the same limit."
        )
    found = []
    for section, twin in pairs:
        if section.title in apart:
            continue
        by_title = {headline.title: headline for headline in twin.headlines}
        for headline in section.headlines:
            if headline.title in by_title:
                found.append(_difference(headline, by_title[headline.title], section, right))
    return found


def other_data(one: Passport, other: Passport) -> dict[str, str]:
    """Return title of a benchmark -> how its images differ in two passports.

    Nothing can be said of a difference there: what sets the numbers apart may be the pictures.

    Args:
        one: the first passport.
        other: the second.
    """
    found = {}
    for section, twin in _pairs(one, other):
        digests = [_digests(*each) for each in ((section, one), (twin, other))]
        counts = [_counts(each) for each in (section, twin)]
        if digests[0] != digests[1]:
            sets = [" and ".join(each) or "an unknown set" for each in digests]
            named = sets[0] if sets[0] == sets[1] else f"{sets[0]} here, {sets[1]} there"
            found[section.title] = f"other pictures ({named})"
        elif differing := [t for t in counts[0] if counts[1].get(t, counts[0][t]) != counts[0][t]]:
            title = differing[0]
            found[section.title] = f"{counts[0][title]:,} pictures here, {counts[1][title]:,} there"
    return found


def _pairs(one: Passport, other: Passport) -> Iterator[tuple[Section, Section]]:
    """Yield the benchmarks that both passports took."""
    for section in one.sections:
        twin = other.section(section.benchmark)
        if twin is not None and section.headlines and twin.headlines:
            yield section, twin


def _digests(section: Section, passport: Passport) -> dict[str, str]:
    """Return the digests of the image sets that a benchmark showed, by name."""
    known = passport.made.datasets
    names = section.sets or sorted({one.dataset for one in section.numbers} & known.keys())
    return {name: known.get(name, "") for name in names}


def _counts(section: Section) -> dict[str, int]:
    """Return how many images each number of the plate is of, by its title."""
    return {one.title: one.number.n for one in section.headlines if one.number.n is not None}


def _difference(
    one: Headline, other: Headline, section: Section, right: tuple[Right, Right]
) -> Difference:
    draws = _draws(one.number, section, right)
    ends = (None, None) if draws is None else tuple(np.quantile(draws, [0.025, 0.975]).tolist())
    return Difference(one.title, one.better, one.number, other.number, *ends)


def _draws(
    number: Number, section: Section, right: tuple[Right, Right]
) -> Float[np.ndarray, " draws"] | None:
    """Return a difference draw by draw, or None where it is not paired."""
    if number.metric in ("accuracy", "error"):
        wrong = _wrong(number.dataset, right)
        if wrong is None:
            return None
        rates = [shared_rates(each[None], number.dataset)[:, 0] for each in wrong]
        apart = np.asarray(rates[1] - rates[0], np.float64)
        return apart if number.metric == "error" else -apart
    if number.metric not in _MEANS:
        return None
    ces = [each for each in section.numbers if each.metric == "ce"]
    wanted = [each for each in ces if _belongs(each, number)]
    parts = [_of_corruption(each, section, right) for each in wanted]
    if not parts or any(part is None for part in parts):
        return None
    mean = np.stack([part for part in parts if part is not None]).mean(axis=0)
    return np.asarray(mean, np.float64)


def _belongs(ce: Number, number: Number) -> bool:
    """Return whether a corruption error enters a mean."""
    from robust_lib.protocols.overlap.groups import HALVES
    from robust_lib.vocabulary import COMMON

    if number.metric == "ce":
        return ce.corruption == number.corruption
    return ce.corruption in (COMMON if number.metric == "mce" else HALVES[str(number.corruption)])


def _of_corruption(
    ce: Number, section: Section, right: tuple[Right, Right]
) -> Float[np.ndarray, " draws"] | None:
    """Return the difference of two corruption errors draw by draw, the normaliser held fixed."""
    clean = next(one.dataset for one in section.numbers if one.metric == "error")
    steps = [
        one
        for one in section.numbers
        if one.metric == "error" and one.corruption == ce.corruption and one.severity is not None
    ]
    names = [_cell(right, str(ce.corruption), int(one.severity or 0)) for one in steps]
    pairs = [None if name is None else _wrong(name, right) for name in names]
    if not pairs or any(pair is None for pair in pairs) or ce.value == 0:
        return None
    normaliser = sum(one.value for one in steps) / ce.value
    of_both = [
        shared_rates(np.stack([pair[at] for pair in pairs if pair is not None]), clean).sum(1)
        for at in (0, 1)
    ]
    return np.asarray(of_both[1] - of_both[0], np.float64) / normaliser


def _cell(right: tuple[Right, Right], corruption: str, severity: int) -> str | None:
    """Return the name of a cell's image set."""
    end = f"/{corruption}/{severity}"
    return next((name for name in right[0] if name.endswith(end)), None)


def _wrong(dataset: str, right: tuple[Right, Right]) -> tuple[Correct, Correct] | None:
    """Return which images either model is wrong about, in one order, if they are the same."""
    if any(dataset not in each for each in right):
        return None
    first, second = (each[dataset] for each in right)
    if set(first.index) != set(second.index):
        return None
    return ~first.to_numpy(bool), ~second.loc[first.index].to_numpy(bool)


def comparison_page(one: Passport, other: Passport, found: list[Difference]) -> str:
    """Return two passports side by side as a page of its own."""
    rows = "".join(
        f'<tr><th scope="row">{text(each.title)}</th>'
        f'<td class="number">{_number(each.one, each.verdict == "first")}</td>'
        f'<td class="number">{_number(each.other, each.verdict == "second")}</td>'
        f'<td class="number">{_apart(each)}</td></tr>'
        for each in found
    )
    body = Html(
        '<header><p class="kind">Two robustness passports</p>'
        f"<h1>{text(one.model)} and {text(other.model)}</h1>"
        f"<p>{text(one.words)}</p></header>"
        '<section class="plate compared"><table><thead><tr><th scope="col">% [95 %]</th>'
        f'<th scope="col" class="number">{text(one.model)}</th>'
        f'<th scope="col" class="number">{text(other.model)}</th>'
        '<th scope="col" class="number">Difference</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
        '<p class="legend">Differences with an interval are paired: both models on the same '
        "resamples of the same images, the normalising errors held fixed. The better model's "
        "number is in colour where the whole interval says so. Without one, nothing is decided.</p>"
        f"{_named(other_data(one, other))}</section>"
    )
    return document(f"{one.model} and {other.model}", body)


def _named(apart: Mapping[str, str]) -> str:
    """Return the benchmarks that are left out, as a paragraph, "" if there are none."""
    if not apart:
        return ""
    told = "; ".join(f"{title}: {why}" for title, why in apart.items())
    return f'<p class="legend">Left out, as the data are others. {text(told)}.</p>'


def _number(number: Number, better: bool) -> str:
    return f"<b{' class=better-one' if better else ''}>{100 * number.value:.1f}</b>"


def _apart(each: Difference) -> str:
    told, _, ends = _signed(each).partition(" ")
    return f"{told}<small> {ends}</small>" if ends else told


def _signed(each: Difference) -> str:
    """Return a difference in points with its sign and its interval."""
    value, *ends = (
        f"{round(100 * one, 1) + 0.0:+.1f}"  # no minus before a zero
        for one in (each.value, each.low, each.high)
        if one is not None
    )
    return f"{value} [{', '.join(ends)}]" if ends else value


def in_words(found: list[Difference]) -> str:
    """Return the differences as lines of text, as the command prints them."""
    return "\n".join(
        f"{each.title}: {percent(each.one.value)} and {percent(each.other.value)}, {_signed(each)}"
        for each in found
    )
