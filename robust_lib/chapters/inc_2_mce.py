"""Corruption errors of seven networks [inc, sec. 3.2 and 3.3]."""

from robust_lib.run.chapter import Chapter, OnCorruptions

CHAPTER = Chapter(
    "inc_2_mce",
    networks="imagenet_c",
    shows=(OnCorruptions("imagenet_val"),),
    baseline=True,
)
