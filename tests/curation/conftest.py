"""The folder that review sheets are made of; toys that are asked about pictures alone."""

import pytest

from robust_lib.models import own_code
from tests.curation.sheets import FILES
from tests.trees import save


@pytest.fixture
def folder(tmp_path):
    for number, file in enumerate(FILES):
        save(tmp_path / "pool" / file, number)
    for other in ("notes.txt", ".hidden.jpg", ".cache/x.jpg", "a/table.csv"):
        path = tmp_path / "pool" / other
        path.parent.mkdir(exist_ok=True)
        path.write_text("no picture")
    return tmp_path / "pool"


@pytest.fixture
def unprobed(monkeypatch):
    """Take toys for the library's own, whose fingerprint shows no probes: some count images."""
    monkeypatch.setattr(own_code, "is_users_object", lambda thing: False)
