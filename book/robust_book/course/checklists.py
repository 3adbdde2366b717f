"""What to look for in one's own answer where no computer can check it."""

from collections.abc import Mapping

CHECKLISTS: Mapping[str, Mapping[int, tuple[str, ...]]] = {
    "00_tour": {
        2: (
            "I compared two corruption errors, and not two curves.",
            "I can explain why errors are divided by the baseline's.",
        ),
    },
    "inc_1_corruptions": {
        1: (
            "I named two corruptions of each kind, and looked at them at severity 5.",
            "I said what happens to an edge, and what to a colour.",
        ),
    },
    "inc_3_enhancements": {
        1: (
            "I divided the fall of mCE by the fall of the clean error.",
            "I said what to do with an arrow along which the clean error does not fall.",
            "I compared the order of this run's arrows with the paper's.",
        ),
    },
    "inc_4_icons50": {
        3: (
            "I ran the chapter with another style held out.",
            "I looked up what hats were taken for, in the image and in the table.",
        ),
    },
    "nae_1_construction": {
        3: (
            "I compared the columns of both tables of the funnel, step by step.",
            "I named the step that takes what the first run kept.",
        ),
    },
    "nae_2_imagenet_a": {
        1: (
            "I sorted the table by both columns.",
            "For each two networks that change places I looked whether their intervals overlap.",
            "I left out the networks that were used to select the images, or gave a reason not to.",
        ),
    },
    "nae_3_imagenet_o": {
        1: (
            "I looked at the panel of contrast alone.",
            "I named each set whose thick line leaves the grey band, and to which side.",
        ),
    },
    "nae_4_calibration": {
        1: (
            "I compared how far apart the curves are at 10 % and at 100 %.",
            "I said what a difference in height alone would mean, and what one in steepness.",
        ),
    },
    "nao_1_construction": {
        1: (
            "I answered all five questions for each box before I looked anything up.",
            "I named an image that I would drop, and the question by which.",
        ),
    },
    "nao_3_blind_spots": {
        1: (
            "I named the ground or the thing that the images of each spot share.",
            "I compared the two columns of the table of planted kinds.",
            "I said what images would have to be trained on to be grouped the other way.",
        ),
    },
    "overlap_1_matrix": {
        3: (
            "I ran the chapter with raw accuracies.",
            "I named the scores that move most, and the clean accuracy of their networks.",
        ),
    },
    "overlap_2_balance_and_cover": {
        3: (
            "I named corruptions whose nearest one in my list has an overlap near zero.",
            "I looked at the intervals before I called one of them not covered.",
        ),
    },
    "vid_1_dataset": {
        1: (
            "I chose a clip in which one network is wrong on few frames.",
            "I said whether these frames are next to each other.",
            "I looked where the other networks are wrong in the same clip.",
        ),
    },
}
"""Chapter -> number of an exercise on its page -> sentences to tick."""
