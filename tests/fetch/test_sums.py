"""Checksums of files that are passed on."""

import shutil
import subprocess

from robust_lib.fetch import sums


def test_the_sums_are_what_the_usual_tool_checks(tmp_path):
    (tmp_path / "below").mkdir()
    for name in ("b.txt", "below/a.txt"):
        (tmp_path / name).write_text(name, "utf-8")
    sums.write(tmp_path)
    sums.write(tmp_path)
    assert list(sums.read(tmp_path)) == ["b.txt", "below/a.txt"]
    if tool := shutil.which("sha256sum"):
        subprocess.run([tool, "--check", "--quiet", sums.NAME], cwd=tmp_path, check=True)
