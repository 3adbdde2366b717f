"""How many small faults the tests of a module find: `make mutants`, which CI does not run.

A fault is one changed comparison, operator, number, text or truth value in a function at the top of
a module. It is put into the running module; then the module's own test file and its examples run.
Printed per module: faults tried, faults found, and each that nothing found. A module whose tests
fail without a fault is named and left out. Two commits compare only with the same seed.
"""

import argparse
import ast
import contextlib
import copy
import importlib
import io
import os
import random
import sys
import types
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = (ROOT / "robust_lib", ROOT / "book" / "robust_book")
SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    one: other
    for pair in (
        (ast.Lt, ast.LtE),
        (ast.Gt, ast.GtE),
        (ast.Eq, ast.NotEq),
        (ast.Is, ast.IsNot),
        (ast.In, ast.NotIn),
        (ast.Add, ast.Sub),
        (ast.Mult, ast.Div),
        (ast.And, ast.Or),
    )
    for one, other in (pair, pair[::-1])
}


class Fault(ast.NodeTransformer):
    """Changes one place of a function, the `number`-th of those it counts."""

    def __init__(self, number: int) -> None:
        self.number, self.places, self.words = number, 0, ""

    def _here(self, node: ast.AST) -> bool:
        self.places += 1
        if self.places - 1 != self.number:
            return False
        self.words = f"line {getattr(node, 'lineno', '?')}: {ast.unparse(node)[:70]}"
        return True

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if self._here(node):
            node.ops[0] = SWAPPED[type(node.ops[0])]()
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        if self._here(node):
            node.op = SWAPPED[type(node.op)]()
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        sides = (node.left, node.right)
        texts = any(
            isinstance(side, ast.JoinedStr)
            or (isinstance(side, ast.Constant) and isinstance(side.value, str))
            for side in sides
        )
        if type(node.op) in SWAPPED and not texts and self._here(node):
            node.op = SWAPPED[type(node.op)]()
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        turns = isinstance(node.op, ast.Not | ast.USub)
        return node.operand if turns and self._here(node) else node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        changed = _other(node.value)
        if changed is None or not self._here(node):
            return node
        return ast.copy_location(ast.Constant(changed), node)


def _other(value: object) -> bool | int | float | str | None:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return f"{value}X" if isinstance(value, str) and value and "\n" not in value else None


def faults(path: Path, each: int, seed: int) -> Iterator[tuple[ast.FunctionDef, Fault]]:
    """Yield functions of a module with one fault each, drawn by lot."""
    places = []
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            count = Fault(-1)
            for statement in copy.deepcopy(_statements(node)):
                count.visit(statement)
            places += [(node, number) for number in range(count.places)]
    random.Random(seed).shuffle(places)
    for node, number in places[:each]:
        broken, fault = copy.deepcopy(node), Fault(number)
        rest = _statements(broken)
        broken.body = [*broken.body[: len(broken.body) - len(rest)], *map(fault.visit, rest)]
        broken.decorator_list, broken.args.defaults = [], []
        broken.args.kw_defaults = [None] * len(broken.args.kw_defaults)
        yield broken, fault


def _statements(function: ast.FunctionDef) -> list[ast.stmt]:
    return function.body[ast.get_docstring(function) is not None :]


def code_of(function: ast.FunctionDef, path: Path) -> types.CodeType:
    """Return what a function at the top of a module compiles to."""
    tree = ast.fix_missing_locations(ast.Module(body=[function], type_ignores=[]))
    (code,) = (
        constant
        for constant in compile(tree, str(path), "exec").co_consts
        if isinstance(constant, types.CodeType) and constant.co_name == function.name
    )
    return code


def tests_of(path: Path) -> Path:
    """Return the test file of a module, which has its name."""
    (package,) = (each for each in PACKAGES if path.is_relative_to(each))
    stem = path.parent.name if path.name == "__init__.py" else path.stem
    return ROOT / "tests" / path.parent.relative_to(package) / f"test_{stem}.py"


def pass_(*files: Path) -> bool:
    """Return whether all tests and examples of some files pass, shapes unchecked."""
    import pytest

    words = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", "ignore"]
    words += ["-o", "addopts=--doctest-modules --import-mode=importlib"]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return all(int(pytest.main([str(file), *words])) in (0, 5) for file in files)


def judged(path: Path, tests: Path, each: int, seed: int) -> tuple[int, int]:
    """Return how many faults of a module were tried and found; print those that were not."""
    (package,) = (folder for folder in PACKAGES if path.is_relative_to(folder))
    parts = path.relative_to(package.parent).with_suffix("").parts
    name = ".".join(parts).removesuffix(".__init__")
    module = importlib.import_module(name)
    if not pass_(tests, path):
        print(f"{name}: left out, its tests or examples fail without a fault", flush=True)
        return 0, 0
    tried, lived = 0, []
    for broken, fault in faults(path, each, seed):
        function = getattr(module, broken.name, None)
        if not isinstance(function, types.FunctionType):
            continue
        whole = function.__code__
        try:
            function.__code__ = code_of(broken, path)
        except ValueError:  # it closes over names: no place for a fault
            continue
        try:
            found = not pass_(tests, path)
        finally:
            function.__code__ = whole
        tried += 1
        lived += [] if found else [f"    not found: {broken.name}, {fault.words}"]
    print(f"{name}: {tried - len(lived)} of {tried} found", *lived, sep="\n", flush=True)
    return tried, tried - len(lived)


def by_lot(count: int, seed: int) -> list[Path]:
    """Return modules of all rooms, at least one of each, that have functions and tests."""
    rooms: dict[Path, list[Path]] = {}
    for package in PACKAGES:
        for path in sorted(package.rglob("*.py")):
            room = path.relative_to(package).parts[0]
            body = ast.parse(path.read_text("utf-8")).body
            functions = sum(isinstance(node, ast.FunctionDef) for node in body)
            if functions >= 2 and tests_of(path).is_file():
                rooms.setdefault(package / room, []).append(path)
    lot = random.Random(seed)
    drawn = [lot.choice(modules) for modules in rooms.values()]
    others = sorted({path for modules in rooms.values() for path in modules} - set(drawn))
    return sorted(drawn + lot.sample(others, max(0, min(count - len(drawn), len(others)))))


def main() -> None:
    """Plant faults in named modules, or in some that are drawn by lot."""
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    ask.add_argument("modules", nargs="*", metavar="FILE[=TESTS]", help="none: drawn by lot")
    ask.add_argument("--modules", dest="count", type=int, default=40, help="how many by lot")
    ask.add_argument("--each", type=int, default=10, help="faults per module")
    ask.add_argument("--seed", type=int, default=7)
    given = ask.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.path[:0] = [str(ROOT), str(ROOT / "book")]
    named = [one.partition("=") for one in given.modules]
    chosen = [(ROOT / file, ROOT / tests if tests else None) for file, _, tests in named]
    chosen = chosen or [(path, None) for path in by_lot(given.count, given.seed)]
    counts = [
        judged(path, tests or tests_of(path), given.each, given.seed) for path, tests in chosen
    ]
    tried, found = (sum(column) for column in zip(*counts, strict=True))
    print(f"{found} of {tried} found ({100 * found / max(tried, 1):.0f} %)")


if __name__ == "__main__":
    main()
