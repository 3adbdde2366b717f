"""A site of four pages written by hand, with all that is hard to print."""

import base64

import yaml

CONTENTS = {
    "root": "index",
    "parts": [
        {"caption": "Chapters", "chapters": [{"file": "wide"}]},
        {
            "caption": "Use",
            "chapters": [{"file": "api", "sections": [{"file": "api/errors"}]}],
        },
    ],
}
DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
COLUMNS = 40
PAGES = {
    "index": """<h1>A small book</h1>
        <p class="rb-imprint">Version 9 · profile toys · How to cite</p>
        <p id="top"><a href="wide.html#table">To the table</a> <a href="_static/rows.csv">rows</a>
        <a href="../elsewhere.html">lost</a> <a href="https://example.org/">outside</a></p>""",
    "wide": f"""<h1>Wide things</h1><p><a href="#here">down</a></p>
        <details class="rb-verdict"><summary>Numbers</summary><p>Unfolded words</p></details>
        <details class="above-input"><summary>Show the code</summary><p>secret_code()</p></details>
        <details class="sd-dropdown"><summary>Solution</summary><p>The answer</p></details>
        <div role="tabpanel" hidden><p>Second tab</p></div>
        <figure><img src="_static/dot.png" alt="a dot" width="99"><figcaption>The dot</figcaption>
        </figure><table id="table"><caption>Very wide</caption><tr>
        {"".join(f"<td>column{number}</td>" for number in range(COLUMNS))}</tr></table>
        <div style="height: 2000px"></div><h2 id="here">Far below</h2>""",
    "api": '<h1>API</h1><p><a href="api/errors.html">errors</a></p>',
    "api/errors": '<h1>Errors</h1><p><a href="../index.html#top">back</a></p>',
}


def home(folder):
    """Write the folder of a profile with its site and the contents that this was made from."""
    book, site = folder / "book", folder / "site"
    (site / "_static").mkdir(parents=True)
    book.mkdir()
    (book / "_toc.yml").write_text(yaml.safe_dump(CONTENTS), "utf-8")
    config = {"title": "A small book", "author": "Nobody"}
    (book / "_config.yml").write_text(yaml.safe_dump(config), "utf-8")
    (site / "_static" / "dot.png").write_bytes(DOT)
    (site / "_static" / "rows.csv").write_text("a\n", "utf-8")
    for name, body in PAGES.items():
        page = site / f"{name}.html"
        page.parent.mkdir(exist_ok=True)
        page.write_text(
            f'<!doctype html><meta charset="utf-8"><article class="bd-article">{body}</article>',
            "utf-8",
        )
    return folder
