"""The headline numbers of a passport, and the benchmark's row for each."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from robust_lib.passport.benchmarks import C_BAR, FOLDERS
from robust_lib.results.row import Row


@dataclass(frozen=True)
class Headline:
    """A headline number of a passport.

    Attributes:
        item: ledger id of the row.
        role: role of the row's data set, if a benchmark has several.
        notebook: notebook whose stored results contain the profile's other networks.
        column: column of the leaderboard that contains published numbers for public weights.
    """

    title: str
    metric: str
    item: str
    better: Literal["higher", "lower"]
    notebook: str
    corruption: str | None = None
    k: int | None = None
    role: str | None = None
    column: str | None = None

    def fits(self, row: Row, dataset: str | None = None) -> bool:
        """Return whether a row has this number, for the given data set if there is one."""
        same = (row.metric, row.item, row.corruption, row.k) == (
            self.metric, self.item, self.corruption, self.k,
        )  # fmt: skip
        return same and row.severity is None and dataset in (None, row.dataset)


HEADLINES: Mapping[str, tuple[Headline, ...]] = MappingProxyType(
    {
        "imagenet_c": (
            Headline("Clean error", "error", "inc-tab1", "lower", "inc_2_mce", column="clean"),
            Headline("mCE", "mce", "inc-tab1", "lower", "inc_2_mce", column="mce"),
            Headline("Relative mCE", "relative_mce", "inc-tab2", "lower", "inc_2_mce",
                     column="relative_mce"),
            Headline("Mean CE, noises and blurs (set 1)", "mean_ce", "overlap-tab1", "lower",
                     "overlap_2_balance_and_cover", corruption="set1"),
            Headline("Mean CE, the other seven (set 2)", "mean_ce", "overlap-tab1", "lower",
                     "overlap_2_balance_and_cover", corruption="set2"),
            Headline("CE, border", "ce", "overlap-tab1", "lower",
                     "overlap_2_balance_and_cover", corruption="border"),
            Headline("CE, obstruction", "ce", "overlap-tab1", "lower",
                     "overlap_2_balance_and_cover", corruption="obstruction"),
        ),
        "imagenet_a": (
            Headline("Accuracy, hard images", "accuracy", "nae-fig2", "higher",
                     "nae_2_imagenet_a", role="imagenet_a", column="hard"),
            Headline("Accuracy, ordinary images", "accuracy", "nae-fig2", "higher",
                     "nae_2_imagenet_a", role="imagenet_val_a", column="ordinary"),
            Headline("Calibration error (RMS)", "rms_calibration_error", "nae-fig14", "lower",
                     "nae_4_calibration"),
            Headline("AURRA", "aurra", "nae-fig14", "higher", "nae_4_calibration"),
        ),
        "imagenet_o": (
            Headline("AUPR by confidence", "aupr", "nae-fig3", "higher", "nae_3_imagenet_o",
                     column="aupr"),
        ),
        "imagenet_vid_robust": (
            Headline("Accuracy, anchors (pm‑0)", "pm_accuracy", "vid-tab3", "higher",
                     "vid_2_classification", k=0, column="pm0"),
            Headline("Accuracy, worst of ±10 frames (pm‑10)", "pm_accuracy", "vid-tab3", "higher",
                     "vid_2_classification", k=10, column="pm10"),
        ),
        "nao": (
            Headline("mAP, ordinary images", "map", "nao-tab2", "higher", "nao_2_map",
                     role="coco_val", column="coco"),
            Headline("mAP, adversarial objects", "map", "nao-tab2", "higher", "nao_2_map",
                     role="nao", column="nao"),
            Headline("mAP, without OOD objects", "map_without_ood", "nao-tab2", "higher",
                     "nao_2_map", role="nao", column="nao_known"),
        ),
        **{
            role: (
                Headline(f"Accuracy, {title[0].lower()}{title[1:]}", "accuracy", "nae-fig2",
                         "higher", "nae_2_imagenet_a", role=role),
                Headline(f"Among five, {title[0].lower()}{title[1:]}", "top5_accuracy",
                         "nae-fig2", "higher", "nae_2_imagenet_a", role=role),
            )
            for role, title in FOLDERS.items()
        },
        C_BAR: (
            Headline("Mean error, ImageNet-C-bar", "mean_error", "inc-tab1", "lower",
                     "inc_2_mce"),
        ),
        "coco_c": (
            Headline("mAP, clean", "map", "nao-tab2", "higher", "nao_2_map",
                     role="coco_val", column="coco"),
            Headline("mPC, mAP under corruptions", "mpc", "nao-tab2", "higher", "nao_2_map"),
            Headline("rPC, share of the clean mAP", "rpc", "nao-tab2", "higher", "nao_2_map"),
        ),
    }
)  # fmt: skip
