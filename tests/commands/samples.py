"""Samples of output on the page about running; there, `…` marks omissions."""

import re

from robust_lib import paths


def of(command: str) -> list[str]:
    """Return the lines that the page prints below a command."""
    page = (paths.book() / "run.md").read_text("utf-8")
    return page.partition(f"$ {command}\n")[2].partition("\n```")[0].splitlines()


def strangers(command: str, printed: str) -> list[str]:
    """Return the lines of a sample that the command does not print; another number is none."""
    lines = [_plain(line) for line in printed.splitlines()]
    wanted = {line: re.escape(_plain(line)).replace("…", ".*") for line in of(command)}
    assert wanted
    return [
        line for line, pattern in wanted.items() if not any(re.fullmatch(pattern, x) for x in lines)
    ]


def _plain(line: str) -> str:
    return " ".join(re.sub(r"\d+", "0", line).split()).replace("minutes", "minute")
