"""A user's corruption: keyed, checked, and taken wherever a name is."""

import numpy as np
import pytest
import torch

from robust_lib.corruptions import convention, corrupt, is_canonical, user_function
from robust_lib.errors import InputError

RAIN = """
import numpy as np

def rain(picture, severity, rng):
    drops = rng.random(picture.shape[:2]) < 0.1 * severity
    return np.where(drops[..., None], 1.5, picture)

def flat(picture, severity, rng):
    return picture.mean()

def broken(picture, severity, rng):
    return picture * float("nan")

shower = 3
"""


@pytest.fixture
def rain(tmp_path):
    path = tmp_path / "rain.py"
    path.write_text(RAIN)
    return f"{path}:rain"


def grey(count=3):
    return torch.full((count, 3, 32, 40), 0.5)


def test_a_picture_gets_the_same_in_any_batch_and_order(rain):
    keys = ["a", "b", "c"]
    whole = corrupt(grey(), rain, 3, keys=keys)
    assert whole.max() == 1  # what leaves the range is cut off
    for place, key in enumerate(keys):
        assert torch.equal(corrupt(grey(1), rain, 3, keys=[key])[0], whole[place])
    assert torch.equal(corrupt(grey(), rain, 3, keys=keys[::-1]).flip(0), whole)
    assert not torch.equal(whole[0], whole[1])
    assert not torch.equal(corrupt(grey(), rain, 3, keys=keys, seed=1), whole)


def test_a_severity_does_what_the_function_makes_of_it(rain):
    shares = [(corrupt(grey(), rain, s, keys=["a", "b", "c"]) == 1).float().mean()
              for s in (1, 5)]  # fmt: skip
    assert shares == pytest.approx([0.1, 0.5], abs=0.05)


def test_the_file_may_move(rain, tmp_path):
    before = corrupt(grey(), rain, 2, keys=range(3))
    (tmp_path / "elsewhere").mkdir()
    moved = (tmp_path / "rain.py").rename(tmp_path / "elsewhere" / "rain.py")
    assert torch.equal(corrupt(grey(), f"{moved}:rain", 2, keys=range(3)), before)


def test_its_digest_is_that_of_the_file(rain, tmp_path):
    before = user_function.digest(rain)
    (tmp_path / "rain.py").write_text(RAIN + "\n# drizzle\n")
    assert user_function.digest(rain) != before


def test_what_is_said_of_it(rain):
    assert convention(rain) == "not of the benchmark"
    assert not is_canonical(rain)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("drizzle", r"a function drizzle\(picture, severity, rng\)"),
        ("shower", r"a function shower\(picture"),
        ("flat", r"to return a picture of shape \(32, 40, 3\).*it returned float32 of shape \(\)"),
        ("broken", "with NaN in it"),
    ],
)
def test_a_function_that_is_none_or_returns_something_else(rain, function, words):
    with pytest.raises(InputError, match=words):
        corrupt(grey(), rain.replace(":rain", f":{function}"), 1, keys=range(3))


def test_a_file_that_is_not_there():
    with pytest.raises(InputError, match=r"Python file.*snow\.py"):
        user_function.load("snow.py:snow")


def test_the_pictures_given_are_left_as_they_were(rain):
    images = grey()
    corrupt(images, rain, 5, keys=range(3))
    assert np.array_equal(images, grey())
