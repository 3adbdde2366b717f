"""Auxiliary experiments: subtypes that networks never saw, and other styles [inc, app. E]."""

from robust_lib.chapters.inc_5_auxiliary import style_transfer, subtype_settings

CHAPTER = subtype_settings.record("inc_5_auxiliary", also=(style_transfer.CORRUPTED,))
