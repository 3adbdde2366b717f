"""The ImageNet-C protocol: every model on every corruption and severity, and its errors as rows.

The definitions are those of [inc, sec. 3.2].
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float

from robust_lib import seeds
from robust_lib.cache import Store
from robust_lib.datasets import ImageSet
from robust_lib.errors import InputError
from robust_lib.metrics import corruption_error as ce
from robust_lib.metrics.intervals import bootstrap_rates, clopper_pearson
from robust_lib.models.contract import Classifier
from robust_lib.predict import predict_all
from robust_lib.predictions import Predictions
from robust_lib.printed import alexnet_errors
from robust_lib.results import Results
from robust_lib.vocabulary import COMMON, SEVERITIES

Models = Mapping[str, Sequence[Classifier]]
"""Model name -> one classifier a seed."""

CellSet = Callable[[str, int], ImageSet]
"""(corruption, severity) -> its image set."""


@dataclass(frozen=True)
class Grid:
    """Predictions of every model on the clean images and on every cell.

    Attributes:
        dataset: name of the clean set; corrupted: name of the corrupted one.
        n_full: images of the whole clean set; a run may have used fewer.
        clean: model -> predictions, one a seed.
        cells: (model, corruption, severity) -> predictions, one a seed.
        severities: which were evaluated.
        storage: how corrupted pictures were stored.
    """

    dataset: str
    corrupted: str
    n_full: int
    clean: Mapping[str, tuple[Predictions, ...]]
    cells: Mapping[tuple[str, str, int], tuple[Predictions, ...]]
    severities: tuple[int, ...]
    storage: str

    @property
    def models(self) -> tuple[str, ...]:
        """Return the models, in the order they were given."""
        return tuple(self.clean)

    @property
    def corruptions(self) -> tuple[str, ...]:
        """Return the corruptions, in the order they were given."""
        return tuple(dict.fromkeys(corruption for _, corruption, _ in self.cells))

    @property
    def images(self) -> int:
        """Return how many images a cell has."""
        return len(next(iter(self.clean.values()))[0].ids)

    def wrong(self, model: str, corruption: str) -> Float[np.ndarray, "severities images"]:
        """Return the share of seeds that erred on each image, by severity."""
        return np.stack(
            [_wrong(self.cells[model, corruption, severity]) for severity in self.severities]
        )

    def errors(self, model: str, corruption: str) -> Float[np.ndarray, " severities"]:
        """Return a model's error at each severity of a corruption, averaged over seeds."""
        return np.asarray(self.wrong(model, corruption).mean(1))

    def runs(self, model: str) -> tuple["Grid", ...]:
        """Return a model's grids of one seed each."""
        return tuple(
            replace(
                self,
                clean={model: (run,)},
                cells={c: (runs[seed],) for c, runs in self.cells.items() if c[0] == model},
            )
            for seed, run in enumerate(self.clean[model])
        )


@dataclass(frozen=True)
class Normaliser:
    """The errors that corruption errors are divided by, and where they come from in words."""

    errors: Mapping[str, Float[np.ndarray, " severities"]]
    clean: float
    words: str


def evaluate(
    models: Models,
    clean: ImageSet,
    cell: CellSet,
    *,
    corruptions: Sequence[str],
    severities: Sequence[int],
    corrupted: str,
    storage: str,
    store: Store | None,
    cell_models: Models | None = None,
    limit: int | None = None,
    batch_size: int = 128,
    progress: bool = True,
) -> Grid:
    """Return what all models say about the clean images and about every cell.

    Every image is read once and corrupted once for all models; predictions that the store has are
    not computed again.

    Args:
        models: by name, one classifier a seed.
        clean: the image set that is corrupted.
        cell: returns the image set of a corruption and severity.
        corruptions: which to evaluate.
        severities: which to evaluate.
        corrupted: name of the corrupted data set.
        storage: how corrupted pictures are stored, for the convention.
        store: where predictions are kept.
        cell_models: the same models as they take the cells' pictures, if otherwise than clean ones.
        limit: images a cell.
        batch_size: images a forward pass.
        progress: whether to show bars.
    """

    def ask(models: Models, images: ImageSet) -> dict[str, tuple[Predictions, ...]]:
        found = predict_all(
            [classifier for runs in models.values() for classifier in runs],
            images,
            cache=store,
            batch_size=batch_size,
            limit=limit,
            keep="reduced",
            progress=progress,
        )
        return {
            name: tuple(found[classifier.name] for classifier in runs)
            for name, runs in models.items()
        }

    cells = {
        (model, corruption, severity): runs
        for corruption in corruptions
        for severity in severities
        for model, runs in ask(cell_models or models, cell(corruption, severity)).items()
    }
    return Grid(
        clean.name, corrupted, len(clean), ask(models, clean), cells, tuple(severities), storage
    )


def measured(grid: Grid, model: str) -> Normaliser:
    """Return the normaliser that a model's own errors in a grid give.

    Raises:
        InputError: the model is not in the grid.
    """
    if model not in grid.models:
        raise InputError(
            f"Expected the normaliser {model} among the evaluated models, but those are "
            f"{', '.join(grid.models)}. Add it to the models."
        )
    errors = {name: grid.errors(model, name) for name in grid.corruptions}
    return Normaliser(
        errors, float(_wrong(grid.clean[model]).mean()), f"{model}, measured on the same images"
    )


def published(severities: Sequence[int] = SEVERITIES) -> Normaliser:
    """Return AlexNet's published errors on ImageNet-C [inc, app. C and the authors' table].

    >>> round(published().clean, 3)
    0.435
    """
    table = alexnet_errors()
    places = [severity - 1 for severity in severities]
    errors = {name: row[places] for name, row in table.items() if name != "clean"}
    return Normaliser(
        errors, float(table["clean"][0]), "AlexNet's published errors on ImageNet-C"
    )


def results(grid: Grid, normaliser: Normaliser, *, samples: int = 1000, seed: int = 0) -> Results:
    """Return the grid's errors as rows: clean, by severity, CE, mCE, and the relative ones.

    Intervals are over images with one seed (exact for errors, bootstrap for the others, the
    normaliser held fixed), and from the smallest to the largest seed with several.

    Args:
        grid: the predictions.
        normaliser: what errors are divided by.
        samples: bootstrap resamples.
        seed: of the bootstrap.

    Raises:
        InputError: a normaliser that never errs on a corruption, or does not get worse under it.
    """
    rows: list[dict[str, object]] = []
    for model in grid.models:
        rows += _error_rows(grid, model)
        rows += _ratio_rows(grid, model, normaliser, samples, seed)
    return Results.of(rows)


def _error_rows(grid: Grid, model: str) -> list[dict[str, object]]:
    clean = _with_interval(grid.clean[model])
    rows: list[dict[str, object]] = [
        _row(grid, "inc-tab1", model, "error", **clean) | {"dataset": grid.dataset}
    ]
    for name in grid.corruptions:
        for severity in grid.severities:
            cell = _with_interval(grid.cells[model, name, severity])
            rows.append(
                _row(grid, "inc-tab1", model, "error", **cell)
                | {"corruption": name, "severity": severity}
            )
        mean = float(grid.errors(model, name).mean())
        rows.append(
            _row(grid, "inc-alexnet", model, "mean_error", value=mean) | {"corruption": name}
        )
    return rows


def _ratio_rows(
    grid: Grid, model: str, normaliser: Normaliser, samples: int, seed: int
) -> list[dict[str, object]]:
    """Return CE and relative CE of each corruption, and their means if all fifteen are there."""
    common = [name for name in grid.corruptions if name in COMMON]
    whole = len(common) == len(COMMON)
    made = [_Cells.of(run, model, common, normaliser) for run in grid.runs(model)]
    rows: list[dict[str, object]] = []
    for relative, item in ((False, "inc-tab1"), (True, "inc-tab2")):
        prefix = "relative_" if relative else ""
        for name in [*common, *([None] if whole else [])]:
            over = common if name is None else [name]
            metric = f"{prefix}{'mce' if name is None else 'ce'}"
            values = [cells.value(over, relative) for cells in made]
            if len(made) > 1:
                low, high = min(values), max(values)
            else:
                rng = seeds.generator(seed, model, metric, str(name), "bootstrap")
                low, high = made[0].interval(over, relative, rng, samples)
            value = float(np.mean(values))
            row = _row(
                grid,
                item,
                model,
                metric,
                value=value,
                # A percentile interval can miss its own point by a hair when errors saturate.
                low=min(low, value),
                high=max(high, value),
            )
            rows.append(row | {"corruption": name})
    return rows


@dataclass(frozen=True)
class _Cells:
    """One model's errors on every image, ready for ratios: row 0 is clean, then severities."""

    wrong: Mapping[str, Float[np.ndarray, "severities images"]]
    clean: Float[np.ndarray, " images"]
    normaliser: Normaliser

    @classmethod
    def of(
        cls, grid: Grid, model: str, names: Sequence[str], normaliser: Normaliser
    ) -> "_Cells":
        wrong = {name: grid.wrong(model, name) for name in names}
        return cls(wrong, _wrong(grid.clean[model]), normaliser)

    def value(self, over: Sequence[str], relative: bool) -> float:
        errors = {name: self.wrong[name].mean(1) for name in over}
        base = {name: self.normaliser.errors[name] for name in over}
        if relative:
            return ce.relative_mean_corruption_error(
                errors, float(self.clean.mean()), base, self.normaliser.clean, over=over
            )
        return ce.mean_corruption_error(errors, base, over=over)

    def interval(
        self, over: Sequence[str], relative: bool, rng: np.random.Generator, samples: int
    ) -> tuple[float, float]:
        below = np.stack([self.normaliser.errors[name] for name in over])
        below = below.sum(1) - (below.shape[1] * self.normaliser.clean if relative else 0)

        def ratio(rates: Float[np.ndarray, "samples cells"]) -> Float[np.ndarray, " samples"]:
            cells = rates[:, 1:].reshape(len(rates), len(over), -1)
            above = cells.sum(2) - (cells.shape[2] * rates[:, :1] if relative else 0)
            mean: Float[np.ndarray, " samples"] = (above / below).mean(1)
            return mean

        values = np.concatenate([self.clean[None], *(self.wrong[name] for name in over)])
        return bootstrap_rates(ratio, values, rng=rng, samples=samples)


def _row(grid: Grid, item: str, model: str, metric: str, **numbers: object) -> dict[str, object]:
    return {
        "item": item,
        "dataset": grid.corrupted,
        "model": model,
        "metric": metric,
        "n": grid.images,
        "n_full": grid.n_full,
        **numbers,
    }


def _with_interval(runs: Sequence[Predictions]) -> dict[str, float]:
    each = [float(_errs(run).mean()) for run in runs]
    if len(runs) > 1:
        return {"value": float(np.mean(each)), "low": min(each), "high": max(each)}
    wrong = _errs(runs[0])
    low, high = clopper_pearson(int(wrong.sum()), len(wrong))
    return {"value": each[0], "low": low, "high": high}


def _wrong(runs: Sequence[Predictions]) -> Float[np.ndarray, " images"]:
    return np.asarray(np.mean([_errs(run) for run in runs], axis=0))


def _errs(run: Predictions) -> Bool[np.ndarray, " images"]:
    return ~run.correct
