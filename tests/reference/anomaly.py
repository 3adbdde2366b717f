"""Anomaly detection as its definitions read, one threshold and one pair at a time."""

import math


def staircase(in_scores, out_scores):
    """(threshold, recall, precision) of every score that occurs, the highest first."""
    points = []
    for threshold in sorted({*in_scores, *out_scores}, reverse=True):
        found = sum(score >= threshold for score in out_scores)
        called = found + sum(score >= threshold for score in in_scores)
        points.append((threshold, found / len(out_scores), found / called))
    return points


def aupr(in_scores, out_scores):
    area, before = 0.0, 0.0
    for _, recall, precision in staircase(in_scores, out_scores):
        area += (recall - before) * precision
        before = recall
    return area


def auroc(in_scores, out_scores):
    won = 0.0
    for out in out_scores:
        for inside in in_scores:
            won += 1.0 if out > inside else 0.5 if out == inside else 0.0
    return won / (len(in_scores) * len(out_scores))


def fpr_at_recall(in_scores, out_scores, recall):
    for threshold, reached, _ in staircase(in_scores, out_scores):
        if reached >= recall:
            return sum(score >= threshold for score in in_scores) / len(in_scores)
    raise AssertionError("a recall of 1 is always reached")


def softmax(row):
    largest = max(row)
    powers = [math.exp(logit - largest) for logit in row]
    return [power / math.fsum(powers) for power in powers]


def msp(row):
    return -max(softmax(row))


def max_logit(row):
    return -max(row)


def energy(row):
    largest = max(row)
    return -(largest + math.log(math.fsum(math.exp(logit - largest) for logit in row)))


def entropy(row):
    return -math.fsum(p * math.log(p) for p in softmax(row) if p > 0)
