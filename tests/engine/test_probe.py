"""Samples of the jobs' work: all kinds are timed, whatever the machine."""

import json

from robust_book.engine import probe


def test_each_kind_of_work_has_a_sample(monkeypatch, capsys):
    monkeypatch.setattr(probe, "SECONDS", 0.0)
    probe.main()
    found = json.loads(capsys.readouterr().out)
    assert found.keys() == {"draw", "train", "predict", "notebook"}
    assert all(0.02 < times < 50 for times in found.values())
