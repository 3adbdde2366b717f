"""The corruptions themselves [inc, sec. 3.1]: galleries, cards, an explorer."""

from robust_lib.run.chapter import Chapter

CHAPTER = Chapter(
    "inc_1_corruptions",
    description="photographs bundled with scikit-learn and matplotlib, and pictures of the "
    "profile's data",
)
