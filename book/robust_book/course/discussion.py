"""The questions of each lesson with hints and good answers, for teachers only.

The library that a class installs does not have the answers.
"""

from collections.abc import Iterable, Mapping

from robust_book import PACKAGE
from robust_book.chapters.about import lessons
from robust_lib.config.strict_yaml import Record, read_record

ANSWERS = PACKAGE / "course" / "good_answers.yaml"
"""What good answers contain; left out of what is packed for a class."""
NAME = "discussion.md"


class GoodAnswers(Record):
    """The content of a good answer to each question.

    Attributes:
        chapters: chapter -> a text for each of its questions, in their order.
    """

    chapters: Mapping[str, tuple[str, ...]]


def written(chapters: Iterable[str]) -> str:
    """Return the questions of some chapters as Markdown, each with its hint and its answer.

    >>> text = written(["inc_2_mce"])
    >>> text.count("**A good answer.**"), text.count("**Hint.**"), text.splitlines()[0]
    (3, 3, '# Questions to discuss, with answers')
    """
    known, answers = lessons(), read_record(ANSWERS, GoodAnswers).chapters
    parts = [
        "# Questions to discuss, with answers",
        "For the teacher. A good answer contains the following points; other answers may be "
        "equally good. "
        "The numbers of this run are in the chapter.",
    ]
    for name in filter(known.__contains__, chapters):  # one's own chapter may have no lesson
        parts.append(f"## {known[name].kicker} (`{name}`)")
        for number, (question, answer) in enumerate(
            zip(known[name].questions, answers[name], strict=True), start=1
        ):
            parts += [
                f"{number}. {question.ask}",
                f"   **Hint.** {question.hint}",
                f"   **A good answer.** {answer}",
            ]
    return "\n\n".join(parts) + "\n"
