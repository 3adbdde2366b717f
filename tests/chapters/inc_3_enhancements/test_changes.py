"""Changes against another network, and what stability training gains beyond training longer."""

from robust_book.chapters.inc_3_enhancements import changes
from robust_lib.protocols.corruption_error.enhancements import STABILITY
from robust_lib.results.row import Row
from robust_lib.results.table import Results


def test_a_gain_on_noise_is_told_beyond_what_training_longer_gains_alone():
    names = {
        "resnet50": "resnet18_mini",
        "resnet50_tuned": "resnet18_mini_tuned",
        "resnet50_stability_1_1": "resnet18_mini_stability_1_1",
    }
    ces = dict(zip(names.values(), (1.2, 1.15, 1.1), strict=True))
    rows = Results.of(
        Row(
            item=STABILITY, dataset="few", model=model, corruption="shot_noise", metric="ce",
            value=value, n=20, n_full=20,
        )
        for model, value in ces.items()
    )  # fmt: skip
    found = changes.below_tuned(
        rows, [*ces][2:], "resnet18_mini_tuned", "resnet18_mini", "shot_noise"
    )
    assert found.text.startswith(
        "\u22125.0 points with the fine-tuned control, and by a further \u22125.0 points"
    )
    assert changes.below_tuned(rows, [], None, "resnet18_mini", "shot_noise").text == "not measured"
