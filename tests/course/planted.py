"""Answers that are planted: right ones, known mistakes, and what must never be told."""

import re

import numpy as np

from robust_book import chapters
from robust_book.course.answers import Exercise, checked
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.start import start

NONE = Results()


def answer(module, chapter, number, name):
    """Return one answer of an exercise."""
    (found,) = [one for one in module.EXERCISES[chapter][number].answers if one.name == name]
    return found


def every(module):
    """Return the answers of a module's exercises that need no run, by a name for people."""
    return {
        f"{chapter} {number} {one.name}": one
        for chapter, exercises in module.EXERCISES.items()
        for number, exercise in exercises.items()
        for one in exercise.answers
        if not exercise.of_run
    }


def says(module, chapter, number, given, rows=NONE):
    """Return what is said of answers, name -> (state, sentence)."""
    found = checked(module.EXERCISES[chapter][number], number, given, rows)
    return {one.name: (one.state, one.says) for one in found.verdicts}


def run_of(name):
    """Return a run of a chapter; nothing is drawn or trained for it."""
    return start(chapters.chapter(name), "smoke")


def row(**changes):
    """Return a row of results."""
    given = {"item": "toy", "dataset": "toy", "metric": "accuracy", "value": 0.5}
    given |= {"n": 9, "n_full": 9} | changes
    return Row(**given)


def reveals(sentence, right):
    """Return whether a sentence has a right answer in it: the number, or the name."""
    if isinstance(right, str):
        return right in sentence and "the names are" not in sentence
    if isinstance(right, bool) or not np.isscalar(right):
        return False
    numbers = [float(text) for text in re.findall(r"-?\d+\.?\d*", sentence)]
    told = (float(right), 100 * float(right))
    return any(np.isclose(one, each, rtol=0.01) for one in numbers for each in told)


def hold(module):
    """See that each known mistake is named as such, and that nothing that is said is the answer.

    And that nothing odd is right: NaN, an empty list, percent for a share, a swapped pair.
    """
    told = 0
    for where, one in every(module).items():
        right = one.right(NONE)
        value = min(right) if isinstance(right, set) else right
        if value is not True or one.mistakes:
            assert one.judge(value, NONE) is None, where
        planted = {sentence: wrong(NONE) for sentence, wrong in one.mistakes.items()}
        for sentence, wrong in planted.items():
            options = sorted(wrong) if isinstance(wrong, set) else [wrong]
            for option in options:
                found = one.judge(option, NONE)
                assert found is not None, (where, sentence)
                # The first of two mistakes that come to the same is named.
                assert found in planted or "fraction" in found, (where, sentence, found)
                told += found == sentence
        for wrong in [*planted.values(), -17.25, 1234.5, "nothing", [3, 2, 1], object()]:
            wrongs = sorted(wrong) if isinstance(wrong, set) else [wrong]
            for each in wrongs:
                found = judged(one, each)
                assert found, (where, each)
                assert not reveals(found, value), (where, each, found)
    for chapter, exercises in module.EXERCISES.items():
        for number, exercise in exercises.items():
            assert exercise.of_run or not [*odd(exercise, NONE)], (chapter, number)
    return told


def judged(one, value):
    """Return what is said of a value, errors included."""
    try:
        return one.judge(value, NONE)
    except Exception as error:
        return str(error) or "an error"


NAN, INF = float("nan"), float("inf")
ODD = (
    NAN, INF, -INF, np.float32("nan"), "nan", "inf", "", "nothing", [], (), {}, object(),
    10**400, 1e300, [NAN], (NAN,) * 3, (1, INF, INF), ((NAN, NAN), (NAN, NAN)), [[], []],
    ("nan",) * 3, (("nan", "nan"), ("nan", "nan")),
    lambda *_: NAN, lambda *_: np.full(6, NAN), lambda *_: None,
)  # fmt: skip


def odd(exercise, rows):
    """Yield what an exercise calls right though it is no answer: (name, value)."""
    rights = {one.name: one.right(rows) for one in exercise.answers}
    for answer in exercise.answers:
        right = rights[answer.name]
        if right is None:
            continue
        options = list(right) if isinstance(right, set) else [right]
        given = [None, *ODD]
        if not answer.tried:
            is_truth = any(isinstance(one, bool | np.bool_) for one in options)
            given += [] if is_truth else [True, False]
        for one in () if answer.tried else options:
            if isinstance(one, tuple | list):
                given += [one[::-1]] if one[::-1] != one else []
            elif isinstance(one, int | float | np.number) and not isinstance(one, bool) and one:
                given += [100 * one, one / 100]
        swapped = [each for name, each in rights.items() if name != answer.name]
        given += [each for each in swapped if each is not None and differs(each, options)]
        for value in given:
            alone = Exercise((answer,), exercise.of_run)
            (verdict,) = checked(alone, 1, {answer.name: value}, rows).verdicts
            if verdict.state == "right":
                yield answer.name, value


def differs(value, options):
    """Return whether a value is none of some, and no rounded one either."""
    if isinstance(value, str | tuple | list | set | bool):
        return not any(value == one for one in options)
    numbers = [one for one in options if isinstance(one, int | float | np.number)]
    return not any(np.isclose(value, one, rtol=0.01, atol=0.001) for one in numbers)
