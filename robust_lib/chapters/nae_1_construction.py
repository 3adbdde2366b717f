"""How the two data sets came about [nae, sec. 3 and 4]."""

from robust_lib.chapters.nae.chapter import FOREIGN, HARD, of

CHAPTER = of("nae_1_construction", HARD, FOREIGN)
