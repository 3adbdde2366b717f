"""Which corruptions are the same to a network [overlap, sec. 3 and 4.1]."""

from robust_lib.run.chapter import Chapter, OnCorruptions, per_corruption

CHAPTER = Chapter(
    "overlap_1_matrix",
    networks="overlap",
    role="imagenet_100",
    shows=(OnCorruptions("imagenet_100"),),
    variants=per_corruption,
    corruptions="training",
)
