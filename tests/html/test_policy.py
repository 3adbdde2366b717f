"""What a page's content policy lets run: the frame's programs, never what came into the article."""

import base64
import hashlib
import html

import pytest

from robust_book.html import policy

PAGE = """<!doctype html><html><head><meta charset="utf-8" />
<script>theme()</script><script src="a.js"></script></head>
<body><article>{}</article><script>foot()</script></body></html>"""


def checksum(program):
    return f"'sha256-{base64.b64encode(hashlib.sha256(program.encode()).digest()).decode()}'"


def test_programs_of_the_frame_run_and_those_of_the_article_do_not():
    sheet = "<script>sheet()</script><script>other()</script>"
    hostile = f'<script>evil()</script></article><i srcdoc="{html.escape(sheet)}"></i>'
    made = policy.guarded(PAGE.format(hostile), ["sheet()"])
    allowed = [checksum(f"{name}()") in made for name in ("theme", "foot", "sheet")]
    assert allowed == [True] * 3
    assert not any(checksum(f"{name}()") in made for name in ("evil", "other"))
    assert made.count("sha256-") == 3


def test_nothing_remote_and_no_handler_is_allowed():
    scripts = policy.meta().markup.partition("script-src")[2].partition(";")[0]
    assert "unsafe" not in scripts
    assert "http" not in policy.meta().markup.replace("http-equiv", "")


def test_a_page_that_does_not_name_its_encoding_is_refused():
    with pytest.raises(ValueError, match="charset"):
        policy.guarded("<html></html>")
