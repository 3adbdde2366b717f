"""What weighs in a page: pictures and full figures become files, drawings shorten."""

import base64
import hashlib
import io
import re
from types import SimpleNamespace

import numpy as np
from PIL import Image

from robust_book.html.svg import theme_svg
from robust_book.sphinx_ext import light
from robust_lib import paths


def png(side: int, seed: int = 0) -> bytes:
    """Return a file of coarse noise, which any picture format can make smaller."""
    noise = np.random.default_rng(seed).integers(0, 256, (side // 4, side // 4, 3), np.uint8)
    kept = io.BytesIO()
    Image.fromarray(np.kron(noise, np.ones((4, 4, 1), np.uint8))).save(kept, "png")
    return kept.getvalue()


def data(content: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(content).decode()}"


def figure(*pictures: bytes) -> str:
    held = "".join(f'<image xlink:href="{data(one)}" width="9"/>' for one in pictures)
    drawn = f'<svg width="300pt" viewBox="0 0 300 200"><g id="f"><text>a</text>{held}</g></svg>'
    return theme_svg(drawn, prefix="inc-fig1", title="Noise & more").markup


def lightened(tmp_path, body, page="inc_1", **images):
    app = SimpleNamespace(
        outdir=tmp_path,
        srcdir=tmp_path,
        builder=SimpleNamespace(format="html", images=images),
        env=SimpleNamespace(found_docs=()),
    )
    context = {"body": body, "script_files": [], "css_files": []}
    light.lighten(app, page, "page.html", context, None)
    return context["body"]


def test_a_picture_becomes_a_file_without_loss(tmp_path):
    content = png(160)
    body = lightened(tmp_path, f'<p><img alt="noise" src="{data(content)}"></p>')
    (name,) = re.findall(r'src="_images/([^"]+)"', body)
    assert 'loading="lazy"' in body
    made = np.asarray(Image.open(tmp_path / "_images" / name).convert("RGB"))
    assert np.array_equal(made, np.asarray(Image.open(io.BytesIO(content))))
    assert (tmp_path / "_images" / name).stat().st_size < len(content)


def test_a_page_in_a_folder_finds_its_pictures(tmp_path):
    body = lightened(tmp_path, f'<img src="{data(png(160))}">', "api/metrics")
    assert 'src="../_images/' in body


def test_a_picture_of_results_is_named_by_what_it_holds(tmp_path):
    file = tmp_path / "_static" / "results" / "a.png"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"1")
    body = '<img src="../_static/results/a.png"> <a href="../_static/results/a.png">png</a> '
    body += "<p data-x='&quot;_static/results/a.png&quot;'>"
    made = lightened(tmp_path, body)
    told = re.findall(r"a\.png(\?v=\w{8})?", made)
    assert told == [told[0], "", told[0]]
    assert told[0]


def test_the_same_picture_is_one_file(tmp_path):
    lightened(tmp_path, f'<img src="{data(png(160))}">' * 3)
    lightened(tmp_path, f'<img src="{data(png(160))}">', "inc_2")
    assert len(list((tmp_path / "_images").iterdir())) == 1


def test_a_small_picture_stays(tmp_path):
    small = f'<img loading="lazy" src="{data(png(8))}">'
    assert lightened(tmp_path, small) == small


def test_a_full_figure_is_a_file_for_each_theme(tmp_path):
    body = lightened(tmp_path, figure(*(png(320, seed) for seed in range(6))))
    assert "<svg" not in body
    assert body.count('alt="Noise &amp; more"') == 2
    assert body.count('width="400" height="267"') == 2  # pixels, as wide as in the page
    for theme, ink in light.INKS.items():
        (name,) = re.findall(rf'only-{theme}" src="_images/([^"]+)"', body)
        content = (tmp_path / "_images" / name).read_bytes()
        assert hashlib.sha256(content).hexdigest().startswith(name.removesuffix(".svg"))
        assert f"fill: {ink}" in content.decode()
        assert "currentColor" not in content.decode()
        assert 'xmlns="http://www.w3.org/2000/svg"' in content.decode()


def test_a_figure_of_lines_stays_in_the_page(tmp_path):
    body = lightened(tmp_path, figure())
    assert body.startswith("<svg")
    assert "currentColor" in body
    assert not (tmp_path / "_images").exists()


def test_a_drawing_of_very_many_lines_is_a_file_unless_the_page_draws_it_again(tmp_path):
    drawn = figure().replace("<text>", f'<path d="M 1 2{" L 3 4" * 30_000}"/><text>')
    again = '<svg class="rb-svg"><use href="#inc-fig1-f"/></svg>'
    assert lightened(tmp_path, drawn + again).startswith("<svg")
    body = lightened(tmp_path, drawn + again.replace("fig1", "fig2"))
    assert body.count("<img") == 2


def test_an_image_has_its_sides_before_it_is_loaded(tmp_path):
    Image.new("RGB", (86, 112)).save(tmp_path / "a.png")
    shown = '<img alt="a report" src="../_images/report.png" />'
    body = lightened(tmp_path, shown, "guides/report", **{"a.png": "report.png"})
    assert body == shown.replace("<img ", '<img width="86" height="112" ')
    (tmp_path / "a.svg").write_text("<svg/>", "utf-8")
    names = {"a.png": "report.png", "a.svg": "report.svg", "lost.png": "lost.png"}
    others = [shown.replace("report.png", name) for name in ("other.png", "lost.png", "report.svg")]
    for kept in (*others, body, shown.replace("alt", 'style="width: 9px" alt')):
        assert lightened(tmp_path, kept, **names) == kept


def test_a_page_loads_no_file_of_another_page(tmp_path):
    named = [SimpleNamespace(filename=f"_static/{name}") for name in ("board_plots.js", "all.js")]
    app = SimpleNamespace(
        outdir=tmp_path,
        builder=SimpleNamespace(format="html"),
        env=SimpleNamespace(found_docs={"board", "index"}),
    )
    for page, count in (("board", 2), ("index", 1), ("genindex", 1)):
        context = {"script_files": list(named), "css_files": []}
        light.lighten(app, page, "page.html", context, None)
        assert len(context["script_files"]) == count
    assert context["script_files"][0].filename.endswith("all.js")


def test_a_drawing_is_shortened_and_draws_the_same():
    long = '<svg class="rb-svg">\n <path d="M 1.23456 2\n L 3 4.5"/>\n <text>a  b</text>\n</svg>'
    assert light.shortened(long) == (
        '<svg class="rb-svg"><path d="M 1.23 2 L 3 4.5"/><text>a  b</text></svg>'
    )


def test_marks_of_one_style_are_told_it_once():
    mark = '<use xlink:href="#m" x="1" y="2" style="fill: red"/>'
    other = mark.replace("red", "blue")
    same, mixed = (f'<g clip-path="url(#c)">{mark}{one}</g>' for one in (mark, other))
    plain = mark.replace(' style="fill: red"', "")
    assert light.shortened(same) == f'<g clip-path="url(#c)" style="fill: red">{plain}{plain}</g>'
    assert light.shortened(mixed) == mixed
    assert light.shortened(f'<g clip-path="url(#c)">{mark}</g>').count("style") == 1
    turned = '<text x="1" y="2" transform="rotate(-90 1 2)">a</text>'
    assert light.shortened(turned) == turned
    assert light.shortened(turned.replace("-90", "-0")) == '<text x="1" y="2">a</text>'


def test_colours_and_letters_of_files_are_those_of_the_style_sheet():
    sheet = (paths.book() / "_static" / "robust.css").read_text("utf-8")
    assert list(light.INKS.values()) == re.findall(r"--rb-text: (#\w+)", sheet)
    (fonts,) = re.findall(r"--rb-plain: ([^;]+);", sheet)
    assert " ".join(fonts.split()).replace('"', "'") == light.FONTS


def test_only_a_page_with_a_question_loads_what_answers_it(tmp_path):
    def loaded(body):
        app = SimpleNamespace(
            outdir=tmp_path,
            srcdir=tmp_path,
            builder=SimpleNamespace(format="html", images={}),
            env=SimpleNamespace(found_docs=()),
        )
        named = ("all.js", "what_if_mce.js", "mistakes.js")
        files = [SimpleNamespace(filename=f"_static/{one}") for one in named]
        context = {"script_files": files, "css_files": [], "body": body}
        light.lighten(app, "inc_2_mce", "page.html", context, None)
        return [one.filename.removeprefix("_static/") for one in context["script_files"]]

    assert loaded("<p>No question</p>") == ["all.js"]
    assert loaded('<section class="rb-what-if"></section>') == ["all.js", "what_if_mce.js"]
    assert loaded('<div class="rb-mistakes"></div>') == ["all.js", "mistakes.js"]
