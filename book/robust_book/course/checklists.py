"""Checklists for answers that no computer can check."""

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
            "I described what happens to edges and to colours.",
        ),
    },
    "inc_3_enhancements": {
        1: (
            "I divided the drop in mCE by the drop in clean error.",
            "I explained what to do with an arrow along which the clean error does not fall.",
            "I compared the order of this run's arrows with the paper's.",
        ),
    },
    "inc_4_icons50": {
        3: (
            "I ran the chapter with another style held out.",
            "I looked up how hats were misclassified, in the image and in the table.",
        ),
    },
    "nae_1_construction": {
        3: (
            "I compared the columns of both tables of the funnel, step by step.",
            "I named the step that removes the candidates that the first run kept.",
        ),
    },
    "nae_2_imagenet_a": {
        1: (
            "I sorted the table by both columns.",
            "For every two networks that change places, I checked whether their intervals overlap.",
            "I left out the networks that were used to select the images, or gave a reason not to.",
        ),
    },
    "nae_3_imagenet_o": {
        1: (
            "I looked only at the panel for contrast.",
            "I named each set whose thick line leaves the grey band, and the side.",
        ),
    },
    "nae_4_calibration": {
        1: (
            "I compared how far apart the curves are at 10 % and at 100 %.",
            "I explained what a difference in height alone would mean, and what one in steepness "
            "would mean.",
        ),
    },
    "nao_1_construction": {
        1: (
            "I answered all five questions for each box before I looked anything up.",
            "I named an image that I would reject, and the question that decides it.",
        ),
    },
    "nao_3_blind_spots": {
        1: (
            "I named the background or the object that the images of each spot share.",
            "I compared the two columns of the table of planted backgrounds and objects.",
            "I described the training images that would lead to the other grouping.",
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
            "I chose a clip in which one network is wrong on a few frames.",
            "I stated whether these frames are next to each other.",
            "I checked on which frames of the same clip the other networks are wrong.",
        ),
    },
}
"""Chapter -> number of an exercise on its page -> sentences to tick."""
