"""Answers that are planted: right ones, known mistakes, and what must never be told."""

import re

import numpy as np

from robust_book import chapters
from robust_book.course.answers import checked
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
        return right in sentence and "there are" not in sentence
    if isinstance(right, bool) or not np.isscalar(right):
        return False
    numbers = [float(text) for text in re.findall(r"-?\d+\.?\d*", sentence)]
    told = (float(right), 100 * float(right))
    return any(np.isclose(one, each, rtol=0.01) for one in numbers for each in told)


def hold(module):
    """See that each known mistake is named as such, and that nothing that is said is the answer."""
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
    return told


def judged(one, value):
    """Return what is said of a value, errors included."""
    try:
        return one.judge(value, NONE)
    except Exception as error:
        return str(error) or "an error"
