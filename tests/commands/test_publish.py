"""The two commands hand over; what they say is what is there."""

from robust_book.commands import pdf, release
from tests import tiny


def test_the_book_is_named_once_it_is_printed(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(pdf, "make", lambda home, told: told("1 of 1: index") or home / "book.pdf")
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    status, said, _ = tiny.command(monkeypatch, capsys, "pdf", "--profile", "smoke")
    assert status == 0
    assert said == f"1 of 1: index\nThe book is {tmp_path / 'smoke' / 'book.pdf'}.\n"


def test_a_release_says_that_nothing_was_uploaded(monkeypatch, capsys, tmp_path):
    made = tmp_path / "toy-lib-1.2.0"
    monkeypatch.setattr(release, "make", lambda profile, told: made)
    status, said, _ = tiny.command(monkeypatch, capsys, "release", "--profile", "smoke")
    assert status == 0
    assert said.startswith(f"The release is {made}. Nothing was uploaded.\nNext: git tag v1.2.0")


def test_a_book_without_a_site_is_refused_in_words(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    status, _, told = tiny.command(monkeypatch, capsys, "pdf", "--profile", "smoke")
    assert status == 1
    assert told.startswith("Expected a rendered site in")
