"""Neighbours, shares and shufflings by loops, slowly and obviously."""

import math


def nearest(points, among, k, own):
    """The k nearest places of each point, itself left out, the nearest first."""
    found = []
    for number, point in enumerate(points):
        others = [place for place in range(len(among)) if place != own[number]]
        others.sort(key=lambda place: math.dist(point, among[place]))
        found.append(others[:k])
    return found


def smallest_counts(neighbours, orders):
    """For each order of the names: the fewest training pictures around any point."""
    return [min(sum(names[place] for place in row) for row in neighbours) for names in orders]
