"""Texts about a chapter, from the file next to its module: its name in the menu, its lesson.

`inc_2_mce.yaml` is read by people who write such a file. `kicker` is what people search for; it
stands before the title, in the menu and in search. The minutes are those of a student who meets
the matter for the first time. The misconception names the item or figure of the chapter that cures
it and holds whatever a run finds, so it has no number. Hints say what to weigh, and leave the
answer open.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from robust_book.chapters import module_name, notebooks, parts
from robust_lib.config.strict_yaml import Record, read_record

FOLDER = Path(__file__).parent


class Minutes(Record):
    """How long a student takes: to read the page without its exercises, and to do these."""

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
    """The answers to a chapter's question on its first screen, the paper's and a run's.

    Attributes:
        paper: the paper's answer; a number in braces is looked up among the printed ones.
        claim: the claim whose verdict answers the question, as in the prose, `inc-tab1-claim-1`;
            none if the numbers alone do.
        holds: the answer if the claim holds, or holds by construction.
        fails: the answer if it does not hold. Undecided and untested ones have words of their own.
        run: sentences with this run's numbers, each a key of the chapter in braces; one of which a
            number was not measured is left out.
    """

    paper: str
    claim: str = ""
    holds: str = ""
    fails: str = ""
    run: tuple[str, ...]


class About(Record):
    """A chapter in the menu and as a lesson.

    Attributes:
        kicker: common name, which people search for.
        finding: the item or figure on the first screen, whose shape answers the question.
        answer: the texts between the question and that figure.
        able: abilities of the reader afterwards, each completing "You will be able to".
        after: chapters to read before.
        terms: terms of the glossary to know before.
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
        ManifestError: the file is wrong, named with its line.

    >>> about("inc_2_mce").kicker, about("glossary")
    ('ImageNet-C · mCE', None)
    """
    file = FOLDER / f"{module_name(name)}.yaml"
    return read_record(file, About) if file.exists() else None


def lessons() -> Mapping[str, About]:
    """Return chapter -> the texts about it, in the book's order.

    >>> list(lessons())[:2]
    ['00_tour', 'inc_1_corruptions']
    """
    ordered = (name for names in parts(notebooks()).values() for name in names)
    found = {name: about(name) for name in ordered}
    return {name: one for name, one in found.items() if one is not None}


@dataclass(frozen=True)
class Lesson:
    """A plan for a given time: chapters to read in this order, some with their exercises.

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
        """Return the minutes to read."""
        return sum(one.minutes.read for name in self.chapters if (one := about(name)))

    @property
    def do(self) -> int:
        """Return the minutes for the exercises."""
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
"""What fits a class's time; what is left of it is for mistakes and questions."""


def alone() -> tuple[Lesson, ...]:
    """Return a plan for each paper: the prerequisites to read, then its chapters with exercises.

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
