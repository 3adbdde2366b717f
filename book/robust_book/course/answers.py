"""Exercises and feedback on answers: the fault of an answer, never the right answer.

An answer is a variable of the notebook. Its right value is computed from the library or from the
rows that the run has saved. Known mistakes are computed in the same way, so that the feedback can
name them.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from robust_book.course import as_written
from robust_lib.results.table import Results

State = Literal["right", "no answer yet", "not yet", "not in this run"]
Value = Callable[[Results], Any]
Plain = float | str | tuple[Any, ...] | set[Any]
"""A value that is the same for every run."""
Judge = Callable[[Any, Results], "str | None"]
KEPT = "robust_course"
"""The key of a check's states in the metadata of its output, which a notebook keeps."""
NOT_HERE = (
    "this run has too few networks or images for this exercise. Read the answer off the "
    "built pages."
)


@dataclass(frozen=True)
class Answer:
    """One variable that an exercise requires.

    Attributes:
        expects: kind of value, such as "a fraction".
        right: rows of the run -> its value; None if the run has none.
        judge: function from given value and rows to its fault; None if it has none.
        mistakes: sentence on a mistake -> the value that it leads to.
        tried: whether the value is tested by use, such as a function, so that it need not be plain.
    """

    name: str
    expects: str
    right: Value
    judge: Judge
    mistakes: Mapping[str, Value] = field(default_factory=dict)
    tried: bool = False


@dataclass(frozen=True)
class Exercise:
    """The checkable answers of an exercise.

    Attributes:
        of_run: whether the right answers are in the rows that the run has saved.
    """

    answers: tuple[Answer, ...]
    of_run: bool = False


@dataclass(frozen=True)
class Verdict:
    """The feedback on one answer, with the answer itself if it is a number or names."""

    name: str
    state: State
    says: str = ""
    given: Any = None

    def __str__(self) -> str:
        shown = as_written.in_a_line(self.given)
        head = f"{self.name} = {shown}" if shown else self.name
        return f"{head}: {self.state}" + (f": {self.says}" if self.says else ".")


@dataclass(frozen=True, repr=False)
class Checked:
    """The feedback on all answers to an exercise; a notebook shows one line per answer.

    Attributes:
        about: further data in the notebook, such as the chapter.
    """

    number: int
    verdicts: tuple[Verdict, ...]
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Return whether nothing is left to do."""
        return all(one.state in ("right", "not in this run") for one in self.verdicts)

    def __repr__(self) -> str:
        return "\n".join([f"Exercise {self.number}", *(f"  {one}" for one in self.verdicts)])

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, str], dict[str, Any]]:
        """Return the text for a notebook, and the states as metadata that no answer can change."""
        answers = [
            {**asdict(replace(one, given=None)), "given": as_written.kept(one.given)}
            for one in self.verdicts
        ]
        kept = {**self.about, "exercise": self.number, "answers": answers}
        return {"text/plain": repr(self)}, {KEPT: kept}


def checked(exercise: Exercise, number: int, given: Mapping[str, Any], results: Results) -> Checked:
    """Return the feedback on the answers to an exercise.

    Args:
        given: name -> value; None is no answer yet.
        results: the rows that the run has saved; none if the exercise does not concern them.
    """
    found = (_verdict(one, given.get(one.name), results) for one in exercise.answers)
    return Checked(number, tuple(found))


def _verdict(answer: Answer, value: Any, results: Results) -> Verdict:
    if answer.right(results) is None:
        return Verdict(answer.name, "not in this run", NOT_HERE)
    if value is None:
        return Verdict(answer.name, "no answer yet", f"the answer should be {answer.expects}.")
    try:
        wrong = as_written.not_finite(value) or answer.judge(value, results)
    except (Exception, SystemExit) as error:  # whatever a student's value or function does
        wrong = (
            f"the answer should be {answer.expects}, but it led to {type(error).__name__} "
            f"({error})."
        )
    state: State = "not yet" if wrong else "right"
    return Verdict(answer.name, state, wrong or "", value)


def number(
    name: str,
    expects: str,
    right: Value | Plain,
    hint: str,
    mistakes: Mapping[str, Value | Plain] | None = None,
    *,
    tolerance: float = 0.005,
) -> Answer:
    """Return an answer that is a number.

    Args:
        expects: kind of value; "a fraction" and "percent" decide which value is a slip of the unit.
        hint: shown if no mistake is recognised.
        mistakes: sentence on a mistake -> the number that it leads to.
        tolerance: relative to the right answer; at least 0.0005.

    >>> half = number("share", "a fraction", lambda rows: 0.5, "Count both.")
    >>> half.judge(50, Results())
    'it is in percent, but the answer is a fraction.'
    >>> half.judge(0.3, Results()), half.judge(0.5, Results()), half.judge("50 %", Results())
    ('the result is a different number. Count both.', None, None)
    """
    true_of, wrong_of = _value(right), _values(mistakes)

    def judge(value: Any, results: Results) -> str | None:
        given = as_written.one_number(as_written.read(value, expects))
        if given is None:
            return _no_number(value, expects)
        true = float(true_of(results))
        if _near(given, true, tolerance):
            return None
        # The right one, rounded, may look like a mistake.
        rounded = math.isclose(given, round(true, 2))
        for sentence, wrong in {**wrong_of, **_slips(expects, true)}.items():
            slip = wrong(results)
            if slip is None:
                continue
            if math.isclose(given, slip) if rounded else _near(given, float(slip), tolerance):
                return sentence
        if rounded:
            return "it is rounded too far to be checked: give one more digit."
        return f"the result is a different number. {hint}"

    return Answer(name, expects, true_of, judge, wrong_of)


def choice(
    name: str,
    expects: str,
    right: Value | Plain,
    hint: str,
    mistakes: Mapping[str, Value | Plain] | None = None,
    *,
    among: Callable[[Results], Sequence[Any]] | None = None,
    shown: Callable[[Results], Mapping[str, str]] | None = None,
) -> Answer:
    """Return an answer that is a name or a plain value, equal to one of the right ones.

    Args:
        right: rows -> the value, or a set of values of which each is right.
        hint: shown if no mistake is recognised.
        mistakes: sentence on a mistake -> the value that it leads to.
        among: rows -> all possible values, so that a misspelt one is recognised.
        shown: rows -> label on pages, such as "JPEG" -> name.

    >>> known = lambda rows: ["fog", "snow"]
    >>> fog = choice("worst", "a name", lambda rows: "fog", "Sort.", among=known)
    >>> fog.judge("Fog", Results())
    >>> fog.judge("fogg", Results())
    'there is no such name here; the names are fog, snow.'
    >>> fog.judge("snow", Results())
    'the right answer is a different one. Sort.'
    """
    true_of, wrong_of = _value(right), _values(mistakes)

    def judge(value: Any, results: Results) -> str | None:
        names = {} if shown is None else shown(results)
        true = as_written.options(true_of(results))
        given = as_written.plain(as_written.read(value, expects), names)
        if all(isinstance(one, bool) for one in true):
            given = as_written.truth(given)
        elif len(true) == 1 and not isinstance(true[0], tuple):
            given = as_written.only(given)
        if as_written.is_plain(given) and (type(given) is bool, given) in [
            (type(one) is bool, one) for one in true
        ]:
            return None
        if _numbers(true) and not _numbers([given]):
            return _no_number(value, expects)
        known = [] if among is None else among(results)
        if known and given not in [as_written.plain(one, names) for one in known]:
            listed = ", ".join(as_written.labels(known, names))
            return f"there is no such name here; the names are {listed}."
        for sentence, wrong in wrong_of.items():
            if given in as_written.options(wrong(results)):
                return sentence
        return f"the right answer is a different one.{_in_place(given, true)} {hint}"

    return Answer(name, expects, true_of, judge, wrong_of)


def fixed(function: Callable[..., Any], *arguments: Any, **named: Any) -> Value:
    """Return a value that does not depend on the run: a function of these arguments.

    >>> fixed(max, 2, 3)(Results())
    3
    """
    return lambda rows: function(*arguments, **named)


def _value(given: Value | Plain) -> Value:
    return given if callable(given) else lambda rows: given


def _values(given: Mapping[str, Value | Plain] | None) -> Mapping[str, Value]:
    return {sentence: _value(one) for sentence, one in (given or {}).items()}


def tried(name: str, expects: str, right: Value, judge: Callable[[Any], "str | None"]) -> Answer:
    """Return an answer that is tested by use, such as a function; `judge` finds its fault."""
    return Answer(name, expects, right, lambda value, results: judge(value), tried=True)


def _slips(expects: str, true: float) -> dict[str, Value]:
    """Return common slips with any number: sentence -> the number that it leads to."""
    slips: dict[str, Value] = {}
    if "percent" in expects:
        slips["it is a fraction, but the answer is in percent."] = lambda rows: true / 100
    elif "fraction" in expects:
        slips["it is in percent, but the answer is a fraction."] = lambda rows: 100 * true
        if 0 <= true <= 1:
            slips["it is the complement: one minus the right answer."] = lambda rows: 1 - true
    else:
        slips["it is a hundred times too large: is it in percent?"] = lambda rows: 100 * true
    slips["its sign is reversed: what was subtracted from what?"] = lambda rows: -true
    if true:
        slips["it is inverted: what is divided by what?"] = lambda rows: 1 / true
    return slips


def _in_place(given: Any, true: Sequence[Any]) -> str:
    """Return a sentence on the correct part of an order; empty if no order was given."""
    if len(true) != 1 or not isinstance(given, tuple) or not isinstance(true[0], tuple):
        return ""
    if len(given) != len(true[0]):
        return f" {len(given)} were given, but {len(true[0])} are required."
    right = sum(one == other for one, other in zip(given, true[0], strict=True))
    return f" {right} of {len(given)} are in the right place." if right else ""


def _no_number(value: Any, expects: str) -> str:
    return f"the answer should be {expects}, but this is no single number ({type(value).__name__})."


def _numbers(values: Iterable[Any]) -> bool:
    return all(isinstance(one, int | float) and not isinstance(one, bool) for one in values)


def _near(given: float, true: float, tolerance: float) -> bool:
    # Half of the last digit of a percentage that pages print, and what arithmetic adds.
    return abs(given - true) <= max(0.0005, tolerance * abs(true)) + 1e-9


def greatest(found: Mapping[str, float]) -> str | None:
    """Return the name with the greatest number; None if there are fewer than two."""
    return max(found, key=lambda name: found[name]) if len(found) > 1 else None


def least(found: Mapping[str, float]) -> str | None:
    """Return the name with the least number; None if there are fewer than two.

    >>> least({"fog": 0.2, "snow": 0.1}), greatest({"fog": 0.2})
    ('snow', None)
    """
    return min(found, key=lambda name: found[name]) if len(found) > 1 else None
