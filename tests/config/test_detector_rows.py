"""Detectors' rows: told by their builders, which are those that make detectors."""

import subprocess
import sys

from robust_lib.config.detector_rows import DETECTORS, is_detector
from robust_lib.config.manifests import load_model, model_names
from robust_lib.models import builders
from robust_lib.models.detectors.builders import BUILDERS


def test_the_builders_are_those_that_make_detectors():
    assert BUILDERS.keys() == DETECTORS
    assert not DETECTORS & builders.BUILDERS.keys()


def test_every_row_is_one_or_the_other():
    made = {name: load_model(name).builder for name in model_names()}
    assert {name for name in made if is_detector(name)} == {
        name for name, builder in made.items() if builder not in builders.BUILDERS
    }
    assert not is_detector("unknown")


def test_the_question_needs_no_torch():
    code = (
        "import sys; from robust_lib.config.detector_rows import is_detector; "
        "is_detector('resnet50'); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
