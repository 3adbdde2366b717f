"""What good answers contain: for every question of every lesson, in the teacher's folder alone."""

from robust_book.chapters.about import lessons
from robust_book.course import discussion
from robust_lib.config.strict_yaml import read_record


def test_every_question_has_an_answer_of_its_own():
    answers = read_record(discussion.ANSWERS, discussion.GoodAnswers).chapters
    known = lessons()
    assert set(answers) == set(known)
    assert {name: len(texts) for name, texts in answers.items()} == {
        name: len(lesson.questions) for name, lesson in known.items()
    }
    texts = [text for some in answers.values() for text in some]
    assert len(set(texts)) == len(texts)
    assert min(len(text.split()) for text in texts) > 40


def test_questions_hints_and_answers_stand_together():
    text = discussion.written(["inc_2_mce", "vid_3_detection"])
    answers = read_record(discussion.ANSWERS, discussion.GoodAnswers).chapters
    for name in ("inc_2_mce", "vid_3_detection"):
        for question, answer in zip(lessons()[name].questions, answers[name], strict=True):
            places = [text.index(one) for one in (question.ask, question.hint, answer)]
            assert places == sorted(places)
    assert answers["00_tour"][0] not in text
