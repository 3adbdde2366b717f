"""What few photographs carry beside corruption errors, on networks whose answers are known."""

import re
from types import SimpleNamespace

import numpy as np
import torch

from robust_book.chapters import inc_2_mce, photograph_studies
from robust_lib.models.adapter import TorchClassifier
from robust_lib.preprocessing import Preprocessing
from tests import toys
from tests.chapters import pages
from tests.chapters.toys import texts


class First(torch.nn.Module):
    """Its first logit is the red of the left half, its second one is nothing."""

    def forward(self, images):
        red = images[:, 0, :, : images.shape[-1] // 2].sum((1, 2))
        return torch.stack([red, 0 * red], 1)


def test_the_attribution_of_a_network_lies_where_it_looks():
    model = TorchClassifier(
        module=First(), name="first", classes="toys", outputs=2, mean=(0.0,) * 3, std=(0.5,) * 3,
        preprocessing=Preprocessing(None, 8),
    )  # fmt: skip
    label, found = photograph_studies.attributed(model, torch.ones(3, 8, 8))
    assert label == 0
    np.testing.assert_allclose(found.heat[0][:, :4], 2.0, rtol=1e-5)
    assert not found.heat[0][:, 4:].any()


def test_confidence_is_set_beside_what_is_right_and_photographs_are_resampled_whole(monkeypatch):
    """Predictions on 120 photographs: clean ones fill one bin, those of two severities two."""
    half = np.arange(120) % 2 == 0
    grid = toys.grid(lambda *cell: half, ("net",), ("fog",), (1, 2))
    run = SimpleNamespace(grid=lambda: grid, profile=SimpleNamespace(bootstrap=200))
    monkeypatch.setattr(photograph_studies, "begun", lambda page: run)
    made = photograph_studies.calibration(pages.page(inc_2_mce, "toys"))
    clean, corrupted = np.array(texts(made, "td")).reshape(2, -1).tolist()
    assert (clean[1:3], corrupted[1:3]) == (["120", "50.0"], ["240", "50.0"])
    assert clean[-1] == "–"
    assert corrupted[-1].startswith("0.0")
    # The same photographs twice tell no more than once, so that the interval is no narrower.
    widths = [np.ptp([float(end.replace("−", "-")) for end in re.findall(r"[−\d.]+", one[4])[1:]])
              for one in (clean, corrupted)]  # fmt: skip
    assert widths[1] > 0.8 * widths[0]
    assert "needs two bins of 100" in made.markup
