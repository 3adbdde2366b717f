"""How pictures are shown where no class is asked for: whole, and no more than the profile says."""

import numpy as np
import pytest

from robust_lib.cache import Store
from robust_lib.config.profiles import load_profile
from robust_lib.preprocessing import Preprocessing
from robust_lib.run.embeddings import embeddings, whole
from tests.toys import Swatches, means


@pytest.mark.parametrize(
    ("own", "shown"),
    [
        (Preprocessing(None, 8), Preprocessing(None, None)),
        (Preprocessing(None, None), Preprocessing(None, None)),
        (Preprocessing(256, 224), Preprocessing(256, 224)),
        (Preprocessing((64, 64), None), Preprocessing((64, 64), None)),
    ],
)
def test_only_a_crop_without_a_scale_is_left_out(own, shown):
    assert whole(own) == shown


def test_the_profile_says_how_many_images(tmp_path):
    profile = load_profile("mini").model_copy(update={"limit": 7, "workers": 0})
    found = embeddings(means(), Swatches(), profile, Store(tmp_path))
    assert len(found) == 7
    again = embeddings(means(), Swatches(), profile, Store(tmp_path))
    assert np.array_equal(found.vectors, again.vectors)
