"""Kinds of review sheet: the question and the answers, as a table that its script works from."""

from dataclasses import dataclass, replace
from typing import Literal

from robust_lib.curation.decisions import WORDS


@dataclass(frozen=True)
class Choice:
    """An answer: the key that gives it, the saved word, its label, colour and group heading."""

    key: str
    word: str
    label: str
    tone: Literal["keep", "drop", "unsure"]
    group: str = ""


@dataclass(frozen=True)
class Mode:
    """A kind of sheet.

    Args:
        things: plural noun for messages.
        page: images shown at once; a single one fills the window.
        shuffled: whether each reviewer sees the items in an order of their own.
        saves: prefix of the files of decisions.
    """

    things: str
    choices: tuple[Choice, ...]
    page: int
    shuffled: bool
    question: str
    saves: str

    @property
    def words(self) -> tuple[str, ...]:
        """The words that decisions are saved as.

        >>> PICTURES.words
        ('keep', 'drop', 'unsure')
        """
        return tuple(choice.word for choice in self.choices)


PICTURES = Mode(
    things="pictures",
    choices=tuple(Choice(word[0], word, word, word) for word in WORDS),
    page=48,
    shuffled=False,
    question="",
    saves="decisions",
)

SIMILAR = "similar"
WRONG = "wrong"
UNSURE = "unsure"
REASONS = ("motion", "background", "blur", "other")
"""Why two frames are dissimilar [vid, sec. 2.2]."""

ROUND_1 = Mode(
    things="pairs of frames",
    choices=(
        Choice("s", SIMILAR, "similar", "keep"),
        Choice("m", "motion", "motion", "drop", "dissimilar"),
        Choice("b", "background", "background", "drop", "dissimilar"),
        Choice("l", "blur", "blur", "drop", "dissimilar"),
        Choice("o", "other", "other", "drop", "dissimilar"),
        Choice("u", UNSURE, "don't know", "unsure"),
        Choice("w", WRONG, "wrong label", "drop"),
    ),
    # Among several pairs, or in a video, people miss large changes: change blindness.
    page=1,
    shuffled=True,
    question=(
        "Are the two frames similar? They are not after significant motion, or after a significant "
        "change of background or blur, nor if a distinctive feature of the object, such as the "
        "face of a dog, is visible in one of them alone. The label is wrong if either frame does "
        "not show it."
    ),
    saves="round-1",
)
"""The first round of a review in pairs, each reviewer alone [vid, sec. 2.2]."""

ROUND_2 = replace(ROUND_1, saves="round-2")
"""The second, in which all reviewers see every pair that somebody doubted."""
