"""The search for our counterpart of a paper's number, via stand-ins for models and data sets."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from robust_lib.results.row import METRICS, Row
from robust_lib.results.table import Results


@dataclass(frozen=True, kw_only=True)
class Where:
    """The conditions of a number, in the paper's names; None for one that does not apply.

    Attributes:
        exact: whether the data set must be the named one or its stand-in; otherwise, if only one
            data set has the number, it is used.
    """

    metric: str
    model: str | None = None
    corruption: str | None = None
    severity: int | None = None
    k: int | None = None
    dataset: str | None = None
    convention: str | None = None
    exact: bool = False

    def __str__(self) -> str:
        parts = [self.model, self.corruption]
        parts += [f"severity {self.severity}"] if self.severity is not None else []
        parts += [f"k {self.k}"] if self.k is not None else []
        return " of ".join([self.metric, *filter(None, [", ".join(filter(None, parts))])])


@dataclass(frozen=True, kw_only=True)
class Lookup:
    """Our results as seen from one ledger item.

    Attributes:
        item: ledger id; its own rows take precedence over those of other items.
        roles: the paper's name of a model -> our stand-in.
        datasets: the paper's name of a data set -> our stand-in.
    """

    results: Results
    item: str
    roles: Mapping[str, str] = field(default_factory=dict)
    datasets: Mapping[str, str] = field(default_factory=dict)

    def find(self, where: Where) -> Row | str:
        """Return the row with these conditions, or a sentence that says why there is none."""
        model = None if where.model is None else self.roles.get(where.model, where.model)
        key = (where.metric, model, where.corruption, where.severity, where.k)
        rows = self._index.get(key, [])
        if not rows:
            return f"no result for {where}"
        if where.dataset is not None:
            dataset = self._dataset(where.metric, where.dataset, where.exact)
            if dataset is None:
                return (
                    f"results for {where.metric} on several data sets: set datasets= to the "
                    f"one that stands for {where.dataset}"
                )
            rows = [row for row in rows if row.dataset == dataset]
            if not rows:
                return f"no result on {dataset} for {where}"
        rows = [row for row in rows if row.item == self.item] or rows
        rows = [row for row in rows if row.convention == where.convention] or rows
        if len(names := sorted({str(row.convention) for row in rows})) > 1:
            return (
                f"results for {where} in the conventions {' and '.join(names)}: a claim may "
                "name one of them as convention="
            )
        if len({row.value for row in rows}) > 1:
            names = sorted({row.item for row in rows})
            return f"different results for {where} under the items {' and '.join(names)}"
        return rows[0]

    def models(self) -> tuple[str, ...]:
        """Return the models with any result, under the paper's name if they have a role.

        Settings do not count as results. If a model has several roles, the last one is used.
        """
        paper = {ours: theirs for theirs, ours in self.roles.items()}
        results = (row for row in self.results.rows if METRICS[row.metric] != "setting")
        found = [row.model for row in results if row.model is not None]
        return tuple(dict.fromkeys(paper.get(model, model) for model in found))

    def _dataset(self, metric: str, dataset: str, exact: bool) -> str | None:
        """Return our data set for one of the paper's; None if several could replace it.

        Without a role, the only data set that has the metric is used, unless `exact`. The groups of
        a data set (name/group) go with it.
        """
        name, slash, group = dataset.partition("/")
        wanted = self.datasets.get(dataset, self.datasets.get(name, name) + slash + group)
        rows = self._by_metric.get(metric, [])
        if exact or wanted != dataset or wanted in {row.dataset for row in rows}:
            return wanted
        names = {row.dataset for row in rows if row.item == self.item}
        names = names or {row.dataset for row in rows}
        return names.pop() if len(names) == 1 else None

    @cached_property
    def _by_metric(self) -> Mapping[str, list[Row]]:
        by_metric: defaultdict[str, list[Row]] = defaultdict(list)
        for row in self.results.rows:
            by_metric[row.metric].append(row)
        return by_metric

    @cached_property
    def _index(self) -> Mapping[tuple[object, ...], list[Row]]:
        index: defaultdict[tuple[object, ...], list[Row]] = defaultdict(list)
        for row in self.results.rows:
            index[row.metric, row.model, row.corruption, row.severity, row.k].append(row)
        return index
