"""Streams of keyed numbers, one for each picture of a test."""

import torch

from robust_lib.corruptions import draws

CPU = torch.device("cpu")


def stream(count=1, name="quirk"):
    return draws.Stream(tuple((0, i, name) for i in range(count)), CPU)
