"""The house style: in force inside, gone outside; the same file each time; colours that stay."""

import io
import re
import xml.etree.ElementTree as ET
from itertools import combinations

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath
from PIL import Image

from robust_book import html
from robust_book.figures import image_grids, style
from robust_book.html.svg import INK
from robust_lib.config.manifests import model_colours, model_title
from robust_lib.config.profiles import load_profile
from robust_lib.results.reported import reported
from robust_lib.vocabulary import COMMON, EXTRA, corruption_label
from tests.figures.drawn import luminance


def drawn():
    with style.house():
        figure = Figure(figsize=(3, 2))
        axis = figure.subplots()
        axis.plot([0, 1, 2], [3, 1, 2], label="a line")
        axis.fill_between([0, 1], [1, 2], hatch="//")  # its pattern needs an id
        axis.set_title("A bold title & more")
        axis.set_xlabel("severity")
        axis.legend()
    return figure


def settings():
    return {name: repr(value) for name, value in mpl.rcParams.items()}


def test_the_house_style_holds_inside_and_leaves_no_trace():
    before = settings()
    with style.house():
        inside = settings()
        assert mpl.rcParams["svg.fonttype"] == "none"
        assert mpl.rcParams["axes.spines.top"] is False
    assert inside != before
    assert settings() == before


def test_the_house_style_leaves_no_trace_after_an_error():
    before = settings()
    with pytest.raises(ZeroDivisionError), style.house():
        _ = 1 / 0
    assert settings() == before


def test_every_line_of_the_style_file_takes_effect():
    """matplotlib ignores what it does not understand."""
    lines = style._STYLE.read_text().splitlines()
    names = [line.split(":")[0] for line in lines if line and not line.startswith("#")]
    assert len(names) > 20
    with style.house():
        inside = settings()
    assert set(names) <= set(inside)
    changed = [name for name in names if inside[name] != repr(mpl.rcParamsDefault[name])]
    assert len(changed) > 15


def test_saving_leaves_no_trace():
    figure, before = drawn(), settings()
    style.svg(figure)
    style.png(figure)
    assert settings() == before


def test_the_same_figure_is_the_same_file_each_time():
    figure = drawn()
    assert style.svg(figure) == style.svg(figure) == style.svg(drawn())
    assert style.png(figure) == style.png(figure) == style.png(drawn())


def test_a_figure_is_laid_out_once():
    """Pictures keep their proportions; giving them room would move them at each drawing."""
    pictures = [np.zeros((8, 8, 3), np.uint8)] * 7
    figure = image_grids.grid(pictures, list("abcdefg"), columns=3)
    first = style.svg(figure)
    style.png(figure)
    assert style.svg(figure) == first
    assert style.svg(image_grids.grid(pictures, list("abcdefg"), columns=3)) == first


def test_no_writing_is_cut_by_the_frame_of_an_svg():
    """Writing is wider there than in a PNG, whose letters are fitted to pixels."""
    words, size = "What a figure is of, in more words than it has room for " * 3, 7.7
    figure = drawn()
    figure.text(1, 0, words, ha="right", fontsize=size)
    picture = ET.fromstring(style.svg(figure))
    prop = FontProperties(family="DejaVu Sans", size=size)
    wide, *_ = TextToPath().get_text_width_height_descent(words.rstrip(), prop, ismath=False)
    (written,) = (one for one in picture.iter() if "".join(one.itertext()) == words)
    assert float(written.get("x")) >= wide
    assert float(picture.get("viewBox").split()[2]) >= wide


def test_text_in_an_svg_stays_text():
    texts = {
        "".join(node.itertext())
        for node in ET.fromstring(style.svg(drawn())).iter()
        if node.tag.endswith("}text")
    }
    assert {"A bold title & more", "severity", "a line"} <= texts


def test_an_svg_says_nothing_of_when_and_by_whom_it_was_made():
    text = style.svg(drawn())
    assert "dc:date" not in text
    assert "dc:creator" not in text
    assert not re.search(r"\b20[2-9]\d-\d\d-\d\d", text)


def test_the_ink_is_the_one_that_pages_replace():
    text = style.svg(drawn())
    assert text.lower().count(INK) > 10
    assert INK not in str(html.svg.theme_svg(text, prefix="inc-fig1", title="A line")).lower()


def test_the_style_files_ink_is_that_of_the_pages():
    with style.house():
        for name in ("axes.edgecolor", "axes.labelcolor", "axes.titlecolor", "text.color",
                     "xtick.color", "ytick.color"):  # fmt: skip
            assert f"#{mpl.rcParams[name].lstrip('#')}" == INK


def test_an_svg_has_no_ground_and_a_png_a_white_one():
    figure = drawn()
    backgrounds = re.findall(r'id="patch_1">\s*<path[^>]*style="([^"]*)"', style.svg(figure))
    assert len(backgrounds) == 1
    assert "fill: none" in backgrounds[0]
    picture = np.asarray(Image.open(io.BytesIO(style.png(figure))).convert("RGBA"))
    assert (picture[0, 0] == 255).all()
    assert (picture[..., 3] == 255).all()
    assert (picture == 255).all(-1).mean() > 0.5
    assert "Software" not in Image.open(io.BytesIO(style.png(figure))).info


def test_a_models_colour_is_the_same_in_any_company_and_its_small_relatives():
    for name, ours in load_profile("mini").models.items():
        alone = style.colour(model_title(name))
        assert style.colour(model_title(name), ["mine", model_title(name), "AlexNet"]) == alone
        assert style.colour(model_title(ours)) == alone


def test_the_papers_models_have_names_and_colours_of_their_own():
    printed = {str(row.model) for row in reported("inc-tab1") if row.model is not None}
    titles = {model_title(name) for name in printed}
    assert not titles & printed  # a name without a row would be its own title
    colours = {style.colour(title) for title in [*titles, "DenseNet-121"]}
    assert len(colours) == len(titles) + 1


def test_other_models_get_colours_that_are_free():
    company = ["ResNet-50", "mine", "AlexNet-like", "yours"]
    colours = [style.colour(model, company) for model in company]
    assert len(set(colours)) == 4
    assert colours == [style.colour(model, company) for model in company]
    many = [f"net{i}" for i in range(20)]
    assert len({style.colour(model, many) for model in many}) == 7
    assert style.colour("stranger") in style.DISTINCT


PAGES = ("#fdfdfb", "#13181b")  # light and dark
SOURCES = (style.RUN, style.PAPER, style.ORDINARY, style.HARD, style.FOREIGN)
# What a colour-blind eye makes of linear red, green and blue (deuteranopia; Machado et al. 2009).
DEUTERANOPIA = np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]])
WHITE = np.array([[0.4339, 0.3762, 0.1899], [0.2126, 0.7152, 0.0722], [0.0177, 0.1095, 0.8730]])


def in_lab(colour, blind=False):
    """Return a colour's place in CIELAB, where even steps look even."""
    channels = to_rgb(colour)
    linear = np.array([c / 12.92 if c <= 0.04 else ((c + 0.055) / 1.055) ** 2.4 for c in channels])
    seen = np.clip(DEUTERANOPIA @ linear, 0, 1) if blind else linear
    x, y, z = np.cbrt(np.maximum(WHITE @ seen, 0.0089))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_colours_can_be_seen_on_both_pages_and_told_apart():
    for colour in (*style.DISTINCT, *SOURCES):
        for page in PAGES:
            dark, light = sorted((luminance(colour), luminance(page)))
            assert (light + 0.05) / (dark + 0.05) >= 3, colour
    for one, other in combinations((*style.DISTINCT, *SOURCES), 2):
        assert np.linalg.norm(in_lab(one) - in_lab(other)) > 20
        assert np.linalg.norm(in_lab(one, blind=True) - in_lab(other, blind=True)) > 10


def test_a_colour_means_one_thing():
    """Sources, kinds of pictures and networks share none."""
    assert len(set(SOURCES)) == len(SOURCES)
    assert not {*SOURCES, style.WRONG} & {*style.DISTINCT, style.INK}
    assert {*style.FAMILIES.values(), *model_colours().values()} <= {*style.DISTINCT, style.INK}


def test_networks_that_stand_together_are_told_apart_without_colours():
    titles = [model_title(ours) for ours in load_profile("mini").networks["imagenet_c"].values()]
    assert len({style.mark(title, titles) for title in titles}) == len(titles)
    assert len({*map(str, style.dashes(titles[:6]).values())}) == 6


def test_labels_of_corruptions():
    labels = [corruption_label(name) for name in (*COMMON, *EXTRA)]
    assert len(set(labels)) == 19
    assert all(label[0].isupper() and "_" not in label for label in labels)


def test_a_photograph_in_an_svg_is_jpeg_and_line_art_stays_exact():
    ramp = np.linspace(40, 220, 128)[:, None, None] * np.ones((1, 128, 3))
    grain = np.random.default_rng(0).normal(0, 12, ramp.shape)
    photograph = np.clip(ramp + grain, 0, 255).astype(np.uint8)
    plain = np.full((128, 128, 3), 200, np.uint8)
    found = {
        name: style.svg(image_grids.grid([picture], ["x"], columns=1))
        for name, picture in {"photograph": photograph, "plain": plain}.items()
    }
    assert "data:image/jpeg" in found["photograph"]
    assert "data:image/png" not in found["photograph"]
    assert "data:image/png" in found["plain"]


def test_sources_and_kinds_of_pictures_have_a_colour_each_in_any_company():
    assert len({style.ORDINARY, style.HARD, style.FOREIGN, style.PAPER, style.RUN}) == 5
    company = ["mine", "Ordinary", "hard", "out-of-distribution", "The paper (AlexNet)", "This run"]
    shades = [style.colour(name, company) for name in company]
    assert shades[1:] == [style.ORDINARY, style.HARD, style.FOREIGN, style.PAPER, style.RUN]
    assert shades == [style.colour(name, company[::-1]) for name in company]
    assert len(set(shades)) == 6  # a stranger takes none of theirs
    assert style.colour("ImageNet-O") == style.FOREIGN


def test_a_family_of_networks_has_one_colour_and_dashes_tell_its_members_apart():
    family = ["ResNet-34", "ResNet-152", "ResNet-152 + SE", "ResNeXt-50-like", "DPN-68-like"]
    shades = [style.colour(name, family) for name in family]
    assert shades[0] == shades[1] == shades[2] == style.FAMILIES["ResNet"]
    assert len({*shades}) == 3
    strokes = style.dashes(family)
    assert len({(style.colour(name), strokes[name]) for name in family}) == 5


def test_what_is_not_right_is_red_enough_to_be_read_on_white_and_on_black():
    assert 1.05 / (luminance(style.WRONG) + 0.05) > 4.5
    assert (luminance(style.WRONG) + 0.05) / 0.05 > 4
