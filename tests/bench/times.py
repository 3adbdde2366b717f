"""Where the tests' time goes: `python -m tests.bench.times` prints what `make test` took last."""

import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

SLOWEST = 100


def room(name: str) -> str:
    """Return a room of the tests or of a package, of the module that a case stands in.

    >>> room("tests.metrics.test_pm_k"), room("tests.test_wheel"), room("robust_lib.paths.build")
    ('tests.metrics', 'tests.test_wheel', 'robust_lib.paths')
    """
    return ".".join(name.removeprefix("book.").split(".")[:2])


def table(head: str, rows: list[tuple[float, str]]) -> str:
    """Return rows of seconds as a table of a page."""
    lines = [f"| {seconds:.1f} | {words} |" for seconds, words in rows]
    return "\n".join([f"| seconds | {head} |", "|---|---|", *lines, ""])


def main(report: Path) -> None:
    """Print the seconds of each room, and the slowest cases, of a report in JUnit's format."""
    cases = [
        (float(case.get("time", 0)), case.get("classname", ""), case.get("name", ""))
        for case in ElementTree.parse(report).iter("testcase")
    ]
    seconds, count = Counter(), Counter()
    for took, module, _ in cases:
        seconds[room(module)] += took
        count[room(module)] += 1
    rooms = [(took, f"{name} | {count[name]}") for name, took in seconds.most_common()]
    print(table("room | cases", rooms).replace("|---|---|", "|---|---|---|"))
    slowest = sorted(cases, reverse=True)[:SLOWEST]
    print(table("case", [(took, f"{module}::{name}") for took, module, name in slowest]))


if __name__ == "__main__":
    main(Path(*sys.argv[1:] or ["build/tests.xml"]))
