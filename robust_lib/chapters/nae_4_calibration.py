"""Calibration on ImageNet-A: whether networks know when they are wrong [nae, app. D]."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from robust_lib.chapters import nae
from robust_lib.chapters.nae import pairs
from robust_lib.chapters.tables import intervals
from robust_lib.figures import calibration as diagrams
from robust_lib.figures.pairs import paired
from robust_lib.figures.style import label
from robust_lib.html.markup import Html
from robust_lib.html.table import table
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.protocols.nae import calibration
from robust_lib.protocols.nae.networks import ATTENTION, is_paired, present
from robust_lib.results.key_number import KeyNumber, percent
from robust_lib.results.table import Results
from robust_lib.run.page import Page

# Ordinary pictures are shown to one pair alone, by the notebook itself.
CHAPTER = nae.record("nae_4_calibration", nae.IMAGENET_A, only=is_paired)
