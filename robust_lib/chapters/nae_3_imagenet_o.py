"""Anomaly detection on the foreign pictures [nae, sec. 5]."""

from robust_lib.chapters.nae.chapter import FOREIGN, of

CHAPTER = of("nae_3_imagenet_o", FOREIGN, described_role="imagenet_o")
