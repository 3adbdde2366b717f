"""The scripts of the site without a browser: read in the site's order, each finds what it takes."""

import json
import re
import subprocess
import sysconfig
from pathlib import Path

from robust_book.sphinx_ext import leaderboard, light
from robust_lib import paths
from robust_lib.results.leaderboard.columns import COLUMNS
from robust_lib.results.leaderboard.sources import of_run
from robust_lib.results.row import Row

NODE = Path(sysconfig.get_path("scripts")) / "node"
SCRIPTS = sorted(paths.book().glob("_static/*.js"), key=lambda one: light.place(one.name))
READ = """
const vm = require("vm");
const nothing = { addEventListener() {} };
const page = vm.createContext({ ...nothing, document: nothing, location: {} });
const run = (file) => vm.runInContext(require("fs").readFileSync(file, "utf8"), page, file);
const [call, ...files] = process.argv.slice(1);
files.forEach(run);
console.log(JSON.stringify(vm.runInContext(call, page)));
"""
MASKED = "24 of 64 outputs, the others masked before the softmax"


def evaluated(call: str):
    """What a script of the page returns once all of them are read, on a page with nothing in it."""
    command = [str(NODE), "-e", READ, call, *map(str, SCRIPTS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_what_a_script_takes_of_the_others_is_there():
    there = set(evaluated("Object.keys(robust)"))
    for script in SCRIPTS:
        text = script.read_text("utf-8")
        taken = re.findall(r"const \{([^}]*)\} = robust;", text)
        names = {name.strip() for some in taken for name in some.split(",")}
        assert names <= there, f"{script.name} takes {sorted(names - there)} of robust"
        assert "robust." not in re.sub(r"robust\.whatIf\b", "", text.replace("robust.js", ""))


def test_a_passports_numbers_stand_where_a_runs_do_and_are_called_alike():
    shared = {"model": "mine", "n": 9, "n_full": 9}
    rows = [
        Row(**shared, item="inc-tab1", dataset="toys", metric="error", value=0.25),
        Row(**shared, item="inc-tab1", dataset="toys_c", metric="mce", value=0.5),
        Row(**shared, item="nae-fig2", dataset="scenes_a_filtered", metric="accuracy", value=0.5,
            convention=MASKED),
        Row(**shared, item="nae-fig2", dataset="others", metric="aupr", value=0.5),
        Row(**shared, item="vid-tab1", dataset="clips_val", metric="pm_accuracy", k=10, value=0.5),
        Row(**shared, item="vid-tab1", dataset="clips_val", metric="pm_accuracy", k=5, value=0.5),
    ]  # fmt: skip
    names = leaderboard._names()
    ours = {
        key: [cell.value, cell.way]
        for entry in of_run(rows, names, ["mine"])
        for key, cell in entry.cells.items()
    }
    assert set(ours) == {"clean", "mce", "hard", "pm10"}
    parts = ("item", "dataset", "metric", "k", "value", "convention")
    numbers = [{part: getattr(row, part) for part in parts} for row in rows]
    passport = {"asks": "classifier", "made": {"datasets": {}}, "sections": [{"numbers": numbers}]}
    data = {
        "columns": [leaderboard._column(one, names) for one in COLUMNS],
        "datasets": {},
        "run": {"datasets": {}},
        "passport": {"schema": {}},
    }
    read = f"robust.rowOfPassport({json.dumps(json.dumps(passport))}, 'mine', {json.dumps(data)})"
    cells = evaluated(read)["cells"]
    assert {key: [cell["value"], cell["way"]] for key, cell in cells.items()} == ours
