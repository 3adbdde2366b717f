"""Gates: what public weights must reach on COCO and on the release, as others found it.

Torchvision's Mask R-CNN is the best check of a whole pipeline: its mAP on COCO is the paper's, so
it is very likely the paper's own network.
"""

from collections.abc import Mapping
from types import MappingProxyType

import pandas as pd

from robust_lib.html.markup import Html
from robust_lib.html.table import table
from robust_lib.results.reported import reference, reported
from robust_lib.results.table import Results

ITEM = "nao-tab2"
COCO, NAO = "coco_val", "nao"

PUBLIC: Mapping[str, str] = MappingProxyType(
    {
        "maskrcnn_resnet50_fpn": "maskrcnn_resnet50_fpn",
        "retinanet_r50": "retinanet_resnet50_fpn",
        "efficientdet_d2": "efficientdet_d2",
        "efficientdet_d4": "efficientdet_d4",
        "efficientdet_d7": "efficientdet_d7",
    }
)
"""The paper's name of a network -> ours with public weights that may be the same."""

PUBLISHED = ("maskrcnn_resnet50_fpn", "fasterrcnn_resnet50_fpn")
"""Networks whose weights' publisher says what they reach on COCO by the same evaluation."""

POINTS: Mapping[str, float] = MappingProxyType({COCO: 0.1, NAO: 0.5})
"""How far a number may be from the published one: the same weights by their publisher's own
evaluation, or by a paper that does not say which pictures it took and how it scored them."""


def gate_frame(results: Results, names: Mapping[str, str]) -> pd.DataFrame:
    """Return what others found with public weights, beside this run.

    Args:
        results: with the mAP of detectors as rows of `nao-tab2`.
        names: the paper's name of a network -> ours.

    >>> found = toys.rows("nao-tab2", "map", {"maskrcnn_resnet50_fpn": 0.379}, "coco_val")
    >>> same = {"maskrcnn_resnet50_fpn": "maskrcnn_resnet50_fpn"}
    >>> gate_frame(found, same)["Gate"].tolist()[:2]
    ['passed', 'other data or networks']
    """
    expected = _expected()
    rows = []
    for (model, dataset), (value, source) in expected.items():
        found = results.select(item=ITEM, metric="map", model=model, dataset=dataset).rows
        ours = 100 * found[0].value if found and model in names.values() else None
        rows.append(
            {
                "Network": model,
                "Data": dataset,
                "Others found": value,
                "This run": ours,
                "Gate": _gate(dataset, ours, value),
                "Source": source,
            }
        )
    return pd.DataFrame(rows)


def gates(results: Results, names: Mapping[str, str]) -> Html:
    """Return the table of what public weights must reach on the real data.

    Args:
        results: with the mAP of detectors as rows of `nao-tab2`.
        names: the paper's name of a network -> ours.

    >>> texts(gates(toys.rows("nao-tab2", "map", {"mine": 0.5}), {}), "p")[0].partition(":")[0]
    'No gate applies to this run'
    """
    frame = gate_frame(results, names)
    if frame["This run"].isna().all():
        return Html(
            f'<p class="rb-convention">No gate applies to this run: each of the {len(frame)} '
            "compares public weights on the real data with what others found.</p>"
        )
    return table(
        frame,
        caption="mAP (%) of public weights on the real data, as others found it and as this run "
        f"does; up to {POINTS[COCO]:g} points from it on COCO and {POINTS[NAO]:g} on the release "
        "pass",
        decimals=1,
    )


def _expected() -> dict[tuple[str, str], tuple[float, str]]:
    """Return (our network, data set) -> (mAP in percent, who found it)."""
    published = reference("detector_reference")
    on_coco = published[
        published["model"].isin(PUBLISHED)
        & (published["dataset"] == "coco_val")
        & (published["metric"] == "map")
    ]
    found = {
        (str(model), COCO): (float(value), str(source))
        for model, value, source in on_coco[["model", "value", "source"]].itertuples(index=False)
    }
    for row in reported(ITEM):
        ours = PUBLIC.get(row.model or "")
        if row.metric == "map" and row.dataset == "nao" and ours is not None:
            found[ours, NAO] = (float(row.value), f"[nao, {row.locator}]")  # printed in percent
    order = [*PUBLIC.values(), *PUBLISHED]
    return dict(sorted(found.items(), key=lambda pair: (order.index(pair[0][0]), pair[0][1])))


def _gate(dataset: str, ours: float | None, value: float) -> str:
    if ours is None:
        return "other data or networks"
    return "passed" if abs(ours - value) <= POINTS[dataset] + 1e-9 else "FAILED"
