"""Numbers of a page as written: signs, thousands, and how a row's number is rounded."""

from robust_book.verify.pages import Page, rounds_to, value_of


def test_numbers_are_read_with_their_signs_and_texts_whatever_their_blanks():
    page = Page("<p>−1.5 of 1,024</p><script>7</script><p>as\n it <b>is</b></p>")
    assert page.shown == ["−1.5", "1,024"]
    assert page.says(["as it is", "1,024", "7"]) == 2
    assert value_of("−1,024.50") == (-1024.5, 0.005)
    assert rounds_to(0.7669, "76.7")
    assert rounds_to(0.0005, "−0.05")
    assert not rounds_to(0.7661, "76.7")
