"""The room of predictions, which can itself be called."""

import subprocess
import sys

import numpy as np
import pytest

from robust_lib import predict
from robust_lib.predict import classify
from tests.toys import Swatches, brightest


def there(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize(
    "before", ["", "import robust_lib.predict.classify; ", "from robust_lib import start; "]
)
def test_predict_can_be_called_whatever_was_imported_before(before):
    code = f"{before}from robust_lib import predict; print(callable(predict), predict.__name__)"
    assert there(code) == "True robust_lib.predict"


def test_to_call_the_room_is_to_predict():
    images, settings = Swatches(), {"batch_size": 7, "limit": 9}
    ours, theirs = (ask(brightest(), images, **settings) for ask in (predict, classify.predict))
    assert ours.ids == theirs.ids
    assert np.array_equal(ours.logits, theirs.logits)
    assert ours.dataset == images.name


def test_the_room_is_there_before_torch_is():
    code = "import sys, robust_lib.predict; print('torch' in sys.modules)"
    assert there(code) == "False"
