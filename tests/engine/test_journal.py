"""The journal: whole lines, in the order in which they were written, by any number of writers."""

from concurrent.futures import ThreadPoolExecutor

from robust_book.engine import journal


def test_events_are_read_in_their_order_and_once(tmp_path):
    journal.begin(tmp_path)
    journal.write(tmp_path, "begun", job="site")
    journal.write(tmp_path, "done", job="site", seconds=1.5)
    first, *others = journal.read(tmp_path)
    assert first["event"] == "book"
    assert others == [
        {"event": "begun", "job": "site"},
        {"event": "done", "job": "site", "seconds": 1.5},
    ]
    assert list(journal.read(tmp_path, after=2)) == others[1:]


def test_a_line_that_is_being_written_is_left_for_later(tmp_path):
    journal.begin(tmp_path)
    with journal.file(tmp_path).open("a") as file:
        file.write('{"event": "do')
    assert len(list(journal.read(tmp_path))) == 1


def test_many_may_write_at_once(tmp_path):
    journal.begin(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: journal.write(tmp_path, "begun", job=str(n)), range(200)))
    assert {event["job"] for event in [*journal.read(tmp_path)][1:]} == {*map(str, range(200))}


def test_a_new_book_begins_a_new_journal(tmp_path):
    journal.begin(tmp_path)
    journal.write(tmp_path, "begun", job="site")
    journal.begin(tmp_path)
    assert [event["event"] for event in journal.read(tmp_path)] == ["book"]


def test_an_event_that_a_full_disk_cut_short_costs_no_other_one(tmp_path):
    journal.begin(tmp_path)
    with journal.file(tmp_path).open("a", encoding="utf-8") as file:
        file.write('{"event": "begun", "jo')
    journal.write(tmp_path, "done", job="a", seconds=1.0)
    with journal.file(tmp_path).open("a", encoding="utf-8") as file:
        file.write("half\n")
    journal.write(tmp_path, "done", job="b", seconds=1.0)
    found = list(journal.read(tmp_path))
    assert [event.get("job") for event in found] == [None, "a", None, "b"]
    assert list(journal.read(tmp_path, 3)) == found[3:]  # a place in a journal is a line
