"""The reproduced papers, from data_manifests/papers.yaml, which is the only list of them."""

from typing import Annotated

from pydantic import AfterValidator

from robust_lib import paths
from robust_lib.config.strict_yaml import Record, parse_record, read_yaml
from robust_lib.errors import one_of


class Thumbnail(Record):
    """A part of a figure: left, top, right and bottom, as fractions of the figure's sides."""

    of: str
    part: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)


class PaperCard(Record):
    """One paper: its citation, its question, and its findings.

    Attributes:
        key: prefix of the ids of its items and of the names of its chapters.
        short: heading of its part of the book.
        authors: its authors, separated by commas, with "and" before the last.
        cited: title and authors, as in a passport.
        sign: placeholder on its card until the run has drawn an image.
        name: common name, for which people search.
        finding: its finding in one sentence; `answer` states it in several. A number in braces is
            looked up among the printed ones.
        claims: the claims on the start page, each as ledger item and position in it.
        picture: ledger items; the first one with a figure is shown next to them.
        thumbnail: a figure and the part of it that is shown next to the finding; None for none.
    """

    key: str
    short: str
    title: str
    authors: str
    cited: str
    year: int
    sign: str
    question: str
    name: str
    finding: str
    answer: str
    claims: tuple[str, ...]
    picture: tuple[str, ...]
    thumbnail: Thumbnail | None = None


def papers() -> tuple[PaperCard, ...]:
    """Return the papers in the book's order.

    Raises:
        ManifestError: an entry is invalid; the message names its line.
    """
    path = paths.manifests() / "papers.yaml"
    return tuple(
        parse_record(raw, PaperCard, path, place) for place, raw in enumerate(read_yaml(path))
    )


def paper_keys() -> tuple[str, ...]:
    """Return the keys of the papers in the book's order.

    >>> paper_keys()
    ('inc', 'overlap', 'nae', 'vid', 'nao')
    """
    path = paths.manifests() / "papers.yaml"
    return tuple(str(raw["key"]) for raw in read_yaml(path))


def _known(key: str) -> str:
    if key not in paper_keys():
        raise ValueError(one_of("paper", key, paper_keys()))
    return key


Paper = Annotated[str, AfterValidator(_known)]
"""The key of a paper in a record; another one is refused."""
