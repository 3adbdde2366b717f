"""The code of the book: chapters, pages, the engine and the commands, on top of `robust_lib`.

A chapter, as its notebook begins:

>>> from robust_book.chapters import chapter
>>> from robust_lib import start
>>> run = start(chapter("inc_2_mce"), "smoke", limit=100)
>>> run.profile.limit, len(run.networks) > 1
(100, True)
"""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
"""The folder of this package's source."""
