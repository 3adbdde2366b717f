"""Auxiliary experiments: subtypes that networks never saw, and other styles [inc, app. E]."""

from robust_lib.chapters.inc_5_auxiliary import held_out_subtypes

CHAPTER = held_out_subtypes.record("inc_5_auxiliary")
