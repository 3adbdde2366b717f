"""The first stage of annotation: is a candidate valid, and truly a mistake? [nao, sec. 3.4].

Annotators see an image with one box. They decide whether it shows a certain class, "as defined by
the annotation in OpenImages or as predicted", and answer four more questions, so that only easily
recognised objects are kept. For each question, a strict majority decides.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from robust_lib.curation import annotation
from robust_lib.curation.candidates import Candidate
from robust_lib.errors import InputError

Answers = Mapping[str, bool]
"""Name of a question -> what one annotator says of one candidate: yes or no."""

CLASS = "class"
YES, NO = "yes", "no"


@dataclass(frozen=True)
class Question:
    """A yes-or-no question.

    Args:
        words: the question for annotators; "{class}" is replaced by the class in question.
        wanted: the answer for a valid candidate; for the question on the class, see `asked`.
    """

    name: str
    words: str
    wanted: bool


QUESTIONS = (
    Question(CLASS, "Does the box show this: {class}?", True),
    Question("box", "Has the box the right size and place, neither too big nor too small?", True),
    Question("blurry", "Does the object appear blurry?", False),
    Question("occluded", "Is the object occluded: are there other objects in front of it?", False),
    Question("depiction", "Is it a depiction, such as a drawing or a picture on a sign?", False),
)
"""The check of the class and the paper's four questions, in its order."""

NAMES = tuple(question.name for question in QUESTIONS)


def asked(candidate: Candidate) -> tuple[int, bool]:
    """Return the class about which annotators are asked, and the answer that confirms a mistake.

    If the box is on an object with a class, it is that class, which must be right; otherwise the
    ground truth is wrong, not the detector. If it is on no such object, it is the predicted class,
    which must be wrong.

    >>> box = (0.0, 0.0, 9.0, 9.0)
    >>> asked(Candidate(0, 0, "egregious misclassification", box, 3, 0.9, truth=7, overlap=0.8))
    (7, True)
    >>> asked(Candidate(0, 0, "hard false positive", box, 3, 0.9))
    (3, False)
    """
    if candidate.truth >= 0:
        return candidate.truth, True
    return candidate.predicted, False


def majority(votes: Sequence[bool]) -> bool | None:
    """Return the answer of more than half of the votes; None if there is a tie.

    Raises:
        InputError: no votes.

    >>> majority([True, True, False]), majority([True, False])
    (True, None)
    """
    if not votes:
        raise InputError("Expected at least one vote, but got none.")
    yes = sum(votes)
    if 2 * yes == len(votes):
        return None
    return 2 * yes > len(votes)


def failed(answers: Sequence[Answers], *, is_class: bool) -> tuple[str, ...]:
    """Return the questions whose majority answer rejects a candidate.

    Args:
        answers: each annotator's answers to all questions.

    Raises:
        InputError: no answers, or an annotator who did not answer all questions.

    >>> fair = {"class": True, "box": True, "blurry": False, "occluded": False, "depiction": False}
    >>> failed([fair, fair, fair | {"box": False}], is_class=True)
    ()
    >>> failed([fair, fair | {"blurry": True}], is_class=False)  # a tie confirms nothing
    ('class', 'blurry')
    """
    for one in answers:
        if set(one) != set(NAMES):
            raise InputError(
                f"Expected answers to {', '.join(NAMES)}, but got {', '.join(one) or 'none'}. "
                "Every annotator has to answer all questions."
            )
    return tuple(
        question.name
        for question in QUESTIONS
        if majority([one[question.name] for one in answers])
        is not (is_class if question.name == CLASS else question.wanted)
    )


def kappa(answers: Sequence[Sequence[Answers]]) -> dict[str, float]:
    """Return Fleiss' kappa of each question; NaN if all votes are equal.

    Args:
        answers: each annotator's answers, for each candidate.

    Raises:
        InputError: no candidates, different numbers of annotators, or a single annotator.

    >>> fair = {"class": True, "box": True, "blurry": False, "occluded": False, "depiction": False}
    >>> kappa([[fair, fair], [fair, fair | {"box": False}]])["box"].__round__(3)
    -0.333
    """
    return {name: annotation.fleiss_kappa(counts(answers, name)) for name in NAMES}


def agreement(answers: Sequence[Sequence[Answers]]) -> dict[str, float]:
    """Return the fraction of equal pairs of votes for each question.

    Arguments and errors are those of `kappa`.
    """
    return {name: annotation.agreement(counts(answers, name)) for name in NAMES}


def counts(answers: Sequence[Sequence[Answers]], name: str) -> annotation.Counts:
    """Return the numbers of yes and no votes on one question: one row per candidate."""
    votes = [[YES if one[name] else NO for one in of] for of in answers]
    return annotation.vote_counts(votes, (YES, NO))
