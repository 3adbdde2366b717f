"""A study of toys: what a change does, and pictures in which it can be seen."""

from robust_book.chapters.nao_4_attribution.studies import Study
from robust_lib.explain.interventions import Versions
from tests.layouts import Shapes


def study(found, controls=None, left_out=0):
    """A study of known changes; its pictures are negatives."""
    versions = len(found.versions)
    places = [int(place) for place in found.before.images for _ in range(versions)]
    marks = [name for _ in found.before.images for name in found.versions]
    made = Versions(Shapes(), "negatives", places, marks, lambda picture, number: 255 - picture, {})
    return Study(found, controls or {}, made, left_out)
