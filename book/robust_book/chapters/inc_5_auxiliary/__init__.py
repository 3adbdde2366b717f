"""Auxiliary experiments: subtypes that networks never saw, and other styles [inc, app. E]."""

from robust_book.chapters.inc_5_auxiliary import (
    style_transfer,
    subtype_settings,
    subtype_tables,
    unseen_subtypes,
)
from robust_book.chapters.tables import Committed

CHAPTER = subtype_settings.record(
    "inc_5_auxiliary",
    also=(unseen_subtypes.TUNED, unseen_subtypes.BEFORE, style_transfer.CORRUPTED),
)
COMMITTED: Committed = {"subtypes": subtype_tables.committed_frame}
