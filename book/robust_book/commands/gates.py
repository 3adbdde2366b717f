"""Reference checks of a profile: its results compared with numbers that others published."""

from collections.abc import Iterator, Sequence

from robust_lib import paths
from robust_lib.errors import RunError
from robust_lib.results.estimate import Estimate
from robust_lib.results.gates.gate import Judged, gate_frame, has_failed, is_judged, judged, summary
from robust_lib.results.gates.references import CLEAN, gates
from robust_lib.results.row import Row
from robust_lib.results.table import Results

STEM = "gates"
"""Name of the rows that the gates ask for themselves, among those of the chapters."""


def found(
    profile: str, *, of_chapters: bool = False, chapters: Sequence[str] = ()
) -> tuple[Judged, ...]:
    """Return the outcome of each gate for the results of a profile.

    Args:
        of_chapters: whether predictions made only for gates are excluded.
        chapters: chapters whose results are judged; empty: all.
    """
    files = sorted((paths.profile(profile) / "results").glob("*.parquet"))
    kept = [file for file in files if file.stem != STEM or not of_chapters]
    if chapters:
        kept = [file for file in kept if file.stem in (*chapters, STEM)]
    return judged(gates(), (row for file in kept for row in Results.load(file).rows))


def require_results(profile: str) -> None:
    """Raise RunError if no chapter has results in a profile, so that nothing can be judged."""
    folder = paths.profile(profile) / "results"
    if not any(folder.glob("*.parquet")):
        raise RunError(
            f"Expected results of profile {profile} in {folder}, but there are none, so no "
            f"reference check is possible. Run `robust book --profile {profile}` first, or add "
            "--ask to evaluate the public networks on clean images now."
        )


def lines(judgements: Sequence[Judged]) -> Iterator[str]:
    """Yield the table of judged gates, the reasons why others were not judged, and a summary."""
    frame = gate_frame([one for one in judgements if is_judged(one)]).drop(columns="Allowed")
    if len(frame):
        yield frame.to_string(index=False, float_format="{:.3f}".format)
    yield from _reasons([one for one in judgements if not is_judged(one)])
    yield summary(judgements)


def status(judgements: Sequence[Judged]) -> int:
    """Return the exit status: 1 if any gate failed."""
    return int(has_failed(judgements))


def ending(profile: str) -> tuple[int, list[str]]:
    """Return a book's exit status and its last lines; none if no gate applies."""
    judgements = found(profile)
    if not any(map(is_judged, judgements)):
        return 0, []
    failed = [one for one in judgements if one.outcome == "FAILED"]
    return status(judgements), [*(lines(failed) if failed else ()), summary(judgements)]


def ask(profile: str, device: str | None = None) -> int:
    """Predict the clean images with public networks that no chapter evaluates; keep the results.

    Args:
        device: cpu or cuda; None: the profile's.

    Returns:
        The number of networks that were evaluated.

    Raises:
        RunError: the profile's clean images differ from those of the gates.
    """
    from dataclasses import replace

    from robust_lib.config.profiles import load_profile
    from robust_lib.run.chapter import Chapter
    from robust_lib.run.start import start

    chosen = load_profile(profile)
    if chosen.data.get(CLEAN) != CLEAN:
        raise RunError(
            f"Expected a profile that evaluates networks on {CLEAN}, for which numbers are "
            f"published, but {profile} uses {chosen.data.get(CLEAN)}. Use --profile full."
        )
    known = {name for part in chosen.networks.values() for name in part.values()}
    unasked = dict.fromkeys(
        one.gate.model
        for one in found(profile, of_chapters=True)
        if one.gate.dataset == CLEAN and not is_judged(one) and one.gate.model in known
    )
    rows: list[Row] = []
    for name in unasked:  # one at a time: together they would fill a device's memory
        run = start(Chapter(STEM), profile, models=[name], device=device)
        grid = replace(run, corruptions=()).grid()
        rows += [
            Row.of(
                Estimate.of_rate([one.correct for one in by_seed], n_full=grid.n_full),
                item=STEM,
                dataset=grid.dataset,
                model=model,
                metric="accuracy",
            )
            for model, by_seed in grid.clean.items()
        ]
    Results.of(rows).stamped(f"{profile}/{STEM}").save(paths.profile(profile) / "results", STEM)
    return len(rows)


def _reasons(unjudged: Sequence[Judged]) -> Iterator[str]:
    by_reason: dict[tuple[str, str], list[str]] = {}
    for one in unjudged:
        by_reason.setdefault((one.gate.dataset, one.why), []).append(one.gate.model)
    for (dataset, why), models in by_reason.items():
        named = ", ".join(dict.fromkeys(models))
        yield f"not run, {dataset}: {why} ({named})"
