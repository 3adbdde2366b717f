"""Two passports side by side, with paired differences if both have predictions."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from robust_book.html.markup import Html, apart, text
from robust_book.passport.page import document
from robust_book.passport.strips import percent
from robust_lib.errors import InputError
from robust_lib.metrics.intervals import percentiles
from robust_lib.passport.paired import Said, draws
from robust_lib.passport.record import Headline, Number, Passport, Section
from robust_lib.results.notation import written


@dataclass(frozen=True)
class Difference:
    """The second model's number minus the first model's, a fraction.

    Attributes:
        low: lower end of the 95 % interval of the paired difference; None: not paired.
        high: upper end of that interval.
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
        """Return a word for the better model, if the interval decides it."""
        if self.low is None or self.high is None or self.low <= 0 <= self.high:
            return ""
        return "second" if (self.low > 0) == (self.better == "higher") else "first"


def differences(
    one: Passport, other: Passport, said: tuple[Said, Said] = ({}, {})
) -> list[Difference]:
    """Return the differences of all numbers that both passports have for the same images.

    They are paired if both models' predictions for the same images are known: both models are
    evaluated on the same resamples of the images. The normalising errors are held fixed.

    Args:
        said: results of `said_in`, one for each passport.

    Raises:
        InputError: the passports have different data in every shared benchmark, or no shared
            benchmark.
    """
    if one.profile != other.profile:
        raise InputError(
            f"Expected two reports of one profile, but the report on {one.model} is of "
            f"{one.profile} and that on {other.model} of {other.profile}, with different images. "
            "Write both with the same --profile."
        )
    apart, pairs = other_data(one, other), list(_pairs(one, other))
    if apart and len(apart) == len(pairs):
        reasons = "; ".join(f"{title}: {why}" for title, why in apart.items())
        raise InputError(
            f"Expected two reports on the same images, but those of {one.model} and {other.model} "
            f"differ ({reasons}). Write both reports with the same --images, --limit and "
            "--geometry."
        )
    found: list[Difference] = []
    for section, twin in pairs:
        if section.title in apart:
            continue
        by_title = {headline.title: headline for headline in twin.headlines}
        for headline in section.headlines:
            if headline.title in by_title:
                found.append(_difference(headline, by_title[headline.title], section, said))
    if not found:
        raise InputError(
            f"Expected two reports with a common benchmark, but {one.model} is a {one.asks} and "
            f"{other.model} a {other.asks}, and no benchmark has results for both. Compare two "
            "models of the same kind."
        )
    return found


def other_data(one: Passport, other: Passport) -> dict[str, str]:
    """Return title of a benchmark -> how its images differ between two passports.

    Corrupted versions of the same images also differ if they were made in another way. A difference
    is then not interpretable, since the images may cause it.
    """
    found = {}
    for section, twin in _pairs(one, other):
        digests = [_digests(*each) for each in ((section, one), (twin, other))]
        counts = [_counts(each) for each in (section, twin)]
        if digests[0] != digests[1]:
            sets = [" and ".join(each) or "an unknown set" for each in digests]
            named = sets[0] if sets[0] == sets[1] else f"{sets[0]} here, {sets[1]} there"
            found[section.title] = f"different images ({named})"
        elif differing := [t for t in counts[0] if counts[1].get(t, counts[0][t]) != counts[0][t]]:
            title = differing[0]
            found[section.title] = f"{counts[0][title]:,} images here, {counts[1][title]:,} there"
        elif section.corrupted != twin.corrupted:
            ways = [each.corrupted or "in an unknown way" for each in (section, twin)]
            found[section.title] = f"corrupted differently ({ways[0]} here, {ways[1]} there)"
    return found


def _pairs(one: Passport, other: Passport) -> Iterator[tuple[Section, Section]]:
    """Yield the benchmarks that both passports contain."""
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
    """Return the number of images behind each number of a passport, by its title."""
    return {one.title: one.number.n for one in section.headlines if one.number.n is not None}


def _difference(
    one: Headline, other: Headline, section: Section, said: tuple[Said, Said]
) -> Difference:
    drawn = draws(one.number, section, said)
    ends: tuple[float | None, float | None] = (None, None)
    if drawn is not None:
        ends = percentiles(drawn)
    return Difference(one.title, one.better, one.number, other.number, *ends)


def comparison_page(one: Passport, other: Passport, found: list[Difference]) -> str:
    """Return two passports side by side as a page of its own."""
    rows = "".join(
        f'<tr><th scope="row">{text(each.title)}</th>'
        f'<td class="number" data-of="{text(one.model)}">'
        f"{_number(each.one, each.verdict == 'first')}</td>"
        f'<td class="number" data-of="{text(other.model)}">'
        f"{_number(each.other, each.verdict == 'second')}</td>"
        f'<td class="number" data-of="Difference">{_apart(each)}</td></tr>'
        for each in found
    )
    body = Html(
        '<header><p class="kind">Two model reports</p>'
        f"<h1>{apart(one.model)} and {apart(other.model)}</h1>"
        f"<p>{text(one.words)}</p></header>"
        '<section class="plate compared"><table><thead><tr><th scope="col">% [95 %]</th>'
        f'<th scope="col" class="number">{apart(one.model)}</th>'
        f'<th scope="col" class="number">{apart(other.model)}</th>'
        '<th scope="col" class="number">Difference</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
        '<p class="legend">Differences with an interval are paired: both models on the same '
        "resamples of the same images, the normalising errors held fixed. The better model's "
        "number is in colour if the whole interval favours it. Without an interval, nothing is "
        "decided."
        f"{text(seen(one, other))}</p>{_named(other_data(one, other))}</section>"
    )
    return document(f"{one.model} and {other.model}", body)


def seen(one: Passport, other: Passport) -> str:
    """Return a sentence on the two models' preprocessing, "" if it is the same."""
    if one.sees == other.sees:
        return ""
    return f" {one.model} sees: {one.sees}. {other.model} sees: {other.sees}."


def _named(apart: Mapping[str, str]) -> str:
    """Return the benchmarks that are left out, as a paragraph, "" if there are none."""
    if not apart:
        return ""
    told = "; ".join(f"{title}: {why}" for title, why in apart.items())
    return f'<p class="legend">Left out, because the data differ. {text(told)}.</p>'


def _number(number: Number, better: bool) -> str:
    return f"<b{' class=better-one' if better else ''}>{percent(number.value)}</b>"


def _apart(each: Difference) -> str:
    told, _, ends = _signed(each).partition(" ")
    return f"{told}<small> {ends}</small>" if ends else told


def _signed(each: Difference) -> str:
    """Return a difference in points with its sign and its interval."""
    shown = (written(100 * one) for one in (each.value, each.low, each.high) if one is not None)
    value, *ends = (one if one.startswith("−") else f"+{one}" for one in shown)
    return f"{value} [{', '.join(ends)}]" if ends else value


def in_words(found: list[Difference]) -> str:
    """Return the differences as lines of text, as the command prints them."""
    return "\n".join(
        f"{each.title}: {percent(each.one.value)} and {percent(each.other.value)}, {_signed(each)}"
        for each in found
    )
