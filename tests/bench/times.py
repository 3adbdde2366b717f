"""Where the tests' time goes: `python -m tests.bench.times` prints what `make test` took last."""

import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

SLOWEST = 100
LEAST = 10
"""Seconds of a room that has a line of its own."""


def room(name: str) -> str:
    """Return a room of the tests or of a package, of the module that a case stands in.

    >>> room("tests.metrics.test_pm_k"), room("tests.test_wheel"), room("robust_lib.paths.build")
    ('tests.metrics', 'tests.test_wheel', 'robust_lib.paths')
    """
    return ".".join(name.removeprefix("book.").split(".")[:2])


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
    print("| room | cases | seconds |", "|---|---|---|", sep="\n")
    long = [name for name, took in seconds.most_common() if took >= LEAST]
    for name in long:
        print(f"| `{name}` | {count[name]:,} | {seconds[name]:,.0f} |")
    few = seconds.keys() - set(long)
    few_cases, few_seconds = (sum(one[name] for name in few) for one in (count, seconds))
    print(f"| {len(few)} others | {few_cases:,} | {few_seconds:,.0f} |")
    print(f"| all | {len(cases):,} | {seconds.total():,.0f} |", end="\n\n")
    slowest = sorted(cases, reverse=True)[:SLOWEST]
    print("| seconds | case |", "|---|---|", sep="\n")
    for took, module, name in slowest:
        print(f"| {took:.1f} | {module}::{name} |")


if __name__ == "__main__":
    main(Path(*sys.argv[1:] or ["build/tests.xml"]))
