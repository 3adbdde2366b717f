"""Calibration on the hard pictures [nae, sec. 5]."""

from robust_lib.chapters.nae.chapter import HARD, of

CHAPTER = of("nae_4_calibration", HARD)
