"""What a search found: some of its pictures, with all that belongs to them."""

from tests.curation.annotating import FILES, found


def test_some_pictures_are_numbered_anew():
    second = found().only([1])
    assert [one.file for one in second.photographs] == [FILES[1]]
    assert [(one.image, one.score) for one in second.candidates] == [(0, 0.9)]
    assert second.proposals == ((),)
    assert found().only([]).candidates == ()
    assert found().only([0, 1]) == found()
