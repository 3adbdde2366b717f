"""Whether ImageNet-C is balanced, and what it misses [overlap, sec. 4.2 and 4.3]."""

from robust_lib.chapters import overlap_1_matrix
from robust_lib.run.chapter import Chapter, OnCorruptions

CHAPTER = Chapter(
    "overlap_2_balance_and_cover",
    networks="balance",
    role="balance",
    shows=(OnCorruptions("balance"),),
    corruptions="training",
    baseline=True,
    also=(overlap_1_matrix.CHAPTER,),
)
