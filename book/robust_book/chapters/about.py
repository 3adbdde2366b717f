"""Texts about a chapter, from the file next to its module: its menu entry and its lesson.

`inc_2_mce.yaml` is the model for such a file. `kicker` is the term that readers search for; it is
shown before the title, in the menu and in search. The minutes are those of a student who is new to
the subject. The misconception names the item or figure of the chapter that corrects it. It applies
whatever a run finds, so it contains no number. Hints list points to consider and leave the answer
open.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from robust_book.chapters import module_name, notebooks, parts
from robust_lib.config.strict_yaml import Record, read_record

FOLDER = Path(__file__).parent


class Minutes(Record):
    """The minutes that a student needs to read the page, and to do its exercises."""

    read: int
    do: int


class Misconception(Record):
    """A plausible but wrong belief, the reason for it, and the item that corrects it."""

    belief: str
    why: str
    cure: str
    item: str


class Question(Record):
    """A question for discussion of the chapter's material, and points to consider."""

    ask: str
    hint: str


class Answer(Record):
    """The paper's and a run's answers to a chapter's question, shown on its first screen.

    Attributes:
        paper: the paper's answer; a key in braces is replaced by the number that the paper prints.
        claim: the claim whose verdict answers the question, as in the prose, `inc-tab1-claim-1`;
            None if the numbers alone answer it.
        holds: the answer if the claim holds, or holds by construction.
        fails: the answer if it does not hold. Undecided and untested claims have fixed texts.
        run: sentences with this run's numbers, each given as a key of the chapter in braces; a
            sentence with an unmeasured number is left out.
    """

    paper: str
    claim: str = ""
    holds: str = ""
    fails: str = ""
    run: tuple[str, ...]


class About(Record):
    """A chapter in the menu and as a lesson.

    Attributes:
        kicker: the common name, which readers search for.
        finding: the item or figure on the first screen that answers the question visually.
        answer: the texts between the question and that figure.
        able: abilities of the reader afterwards, each completing "You will be able to".
        after: chapters to read first.
        terms: glossary terms that the reader should know.
        besides: further prerequisites, in plain words.
    """

    kicker: str
    finding: str
    answer: Answer
    minutes: Minutes
    able: tuple[str, ...]
    misconception: Misconception
    questions: tuple[Question, ...]
    after: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    besides: str = ""


def about(name: str) -> About | None:
    """Return the texts about a chapter; None for a page that is not a chapter.

    Raises:
        ManifestError: the file is invalid; the message names the file and the line.

    >>> about("inc_2_mce").kicker, about("glossary")
    ('ImageNet-C · mCE', None)
    """
    file = FOLDER / f"{module_name(name)}.yaml"
    return read_record(file, About) if file.exists() else None


def lessons() -> Mapping[str, About]:
    """Return a mapping from each chapter to the texts about it, in the book's order.

    >>> list(lessons())[:2]
    ['00_tour', 'inc_1_corruptions']
    """
    ordered = (name for names in parts(notebooks()).values() for name in names)
    found = {name: about(name) for name in ordered}
    return {name: one for name, one in found.items() if one is not None}


@dataclass(frozen=True)
class Lesson:
    """A reading plan for a given time: chapters in order, some with their exercises.

    Attributes:
        minutes: the available time; None for a single paper, which has no limit.
        done: the chapters whose exercises are included.
    """

    name: str
    minutes: int | None
    chapters: tuple[str, ...]
    done: tuple[str, ...]

    @property
    def read(self) -> int:
        """Return the minutes needed to read the chapters."""
        return sum(one.minutes.read for name in self.chapters if (one := about(name)))

    @property
    def do(self) -> int:
        """Return the minutes needed for the exercises."""
        return sum(one.minutes.do for name in self.done if (one := about(name)))


SESSIONS = (
    Lesson("45 minutes", 45, ("00_tour", "inc_2_mce"), ()),
    Lesson("90 minutes", 90, ("00_tour", "inc_2_mce"), ("inc_2_mce",)),
    Lesson(
        "A day of six hours",
        360,
        (
            "00_tour", "inc_1_corruptions", "inc_2_mce", "overlap_1_matrix", "nae_1_construction",
            "nae_2_imagenet_a", "vid_1_dataset", "vid_2_classification", "nao_1_construction",
            "nao_2_map",
        ),
        ("inc_2_mce", "vid_2_classification"),
    ),
)  # fmt: skip
"""What fits into the time of a class; the rest of the time is for mistakes and questions."""


def alone() -> tuple[Lesson, ...]:
    """Return a reading plan for each paper: the prerequisites, then its chapters with exercises.

    >>> alone()[1].chapters[:3]
    ('00_tour', 'inc_1_corruptions', 'inc_2_mce')
    """
    known = lessons()

    def before(name: str) -> set[str]:
        return {name}.union(*map(before, known[name].after))

    found = []
    for part, names in parts(notebooks()).items():
        own = tuple(name for name in names if known[name].after)
        if own:
            wanted = set().union(*map(before, own))
            ordered = tuple(name for name in known if name in wanted)
            found.append(Lesson(part, None, ordered, own))
    return tuple(found)
