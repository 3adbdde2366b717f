"""What the first pages and the feet say."""

from robust_book.commands.pdf.contents import Cover, Entry, feet, first_pages

COVER = Cover("A <book>", ("Version 9", "profile toys"), "The site has more.")


def test_the_contents_have_a_line_a_page_below_its_part():
    made = first_pages(
        COVER, [Entry("Start", "s.html", number=3), Entry("One", "o.html", 1, "Part", 12)]
    )
    assert made.index("A &lt;book&gt;") < made.index("Version 9") < made.index("The site has more.")
    assert made.index(">Start</a><i></i><span>3<") < made.index("<h2>Part</h2>")
    assert 'padding-left:6mm"><a href="o.html">One</a><i></i><span>12<' in made


def test_a_number_that_is_not_known_yet_is_left_out():
    assert "<span></span>" in first_pages(COVER, [Entry("Start", "s.html")])


def test_feet_count_the_sheets():
    made = feet(["Contents", "A & B", "A & B"])
    assert "<span>A &amp; B</span><span>3</span>" in made
    assert made.count("<p>") == 3
