"""What the papers' claims cost a book: the tables of claims, made from the plan.

    python -m tests.bench.claims [--write]

--write puts them where the book shows them, data_manifests/measured/claim_costs.csv (by item) and
claim_costs_each.csv (by claim), with their yaml.
"""

import argparse
import time
from collections import Counter

from robust_book.chapters import all_chapters
from robust_book.engine.claim_costs import ClaimCost, all_work, claim_costs
from robust_lib.config.profiles import load_profile
from robust_lib.results.reported import item
from tests.reference import committed

PROFILE = "mini"
SHOWN = ("predict", "corrupt", "choose")


def by_item(found):
    """Return the costs of claims, those of an item together."""
    items = {}
    for one in found:
        items.setdefault(one.item, []).append(one)
    return [
        ClaimCost(
            name,
            tuple(text for one in group for text in one.sentences),
            {part: seconds for one in group for part, seconds in one.work.items()},
        )
        for name, group in items.items()
    ]


def row(first, cost):
    """Return the columns that both tables have."""
    return first | {
        "networks": f"{len(cost.names('train', 1))}",
        "conditions": f"{len(cost.names('predict', 2))}",
        "training, s": f"{cost.seconds('train'):.0f}",
        "predicting, s": f"{cost.seconds(*SHOWN):.0f}",
    }


def of_items(found):
    """Return a row an item: what its claims need, and what no other item's claims do."""
    items = by_item(found)
    rows = []
    for one in items:
        first = {"item": one.item, "title": item(one.item).title}
        others = [other for other in items if other is not one]
        alone = {"for no other item, s": f"{one.seconds(other=others):.0f}"}
        rows.append(row(first | {"claims": f"{len(one.sentences)}"}, one) | alone)
    return rows


def of_claims(found):
    """Return a row for the claims of an item that need the same."""
    return [row({"item": one.item, "claim": " ".join(one.sentences)}, one) for one in found]


def unclaimed(found, whole):
    """Return network or condition -> seconds, of the work that no claim needs."""
    used = {part for one in found for part in one.work}
    networks, conditions = Counter(), Counter()
    for part in whole.keys() - used:
        if part.does == "train":
            networks[part.network] += whole[part]
        else:
            conditions[part.condition or part.network] += whole[part]
    return networks, conditions


def main():
    chosen = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    chosen.add_argument("--write", action="store_true")
    asked = chosen.parse_args()
    start, profile, chapters = time.process_time(), load_profile(PROFILE), all_chapters()
    found, whole = claim_costs(chapters, profile), all_work(chapters, profile)
    networks, conditions = unclaimed(found, whole)
    left = sum(networks.values()) + sum(conditions.values())
    title = "Cost of the claims of each item"
    convention = (
        "seconds of a core of the reference machine, by the plan's costs; networks include those "
        "from which others are initialised, and the baseline by which errors are divided; a claim "
        "about a group of networks or corruptions includes the whole group, and a claim about a "
        "gain includes the network that gains; drawing, the start of processes and what notebooks "
        "compute by themselves, such as the tests on icons and styles, are left out; "
        f"of {sum(whole.values()):,.0f} s in all, {left:.0f} s serve no claim: "
        f"{', '.join(networks)} ({sum(networks.values()):.0f} s of training) and "
        f"{sum(conditions.values()):.0f} s of predictions"
    )
    tables = {
        "claim_costs": (title, of_items(found)),
        "claim_costs_each": ("Cost of each claim", of_claims(found)),
    }
    for name, (words, rows) in tables.items():
        print(f"{words}\n({convention})\n\n{committed.markdown(rows)}\n", flush=True)
        if asked.write:
            about = {"title": words, "convention": convention, "profile": PROFILE}
            about |= {"seconds": time.process_time() - start}
            about["command"] = "python -m tests.bench.claims --write"
            print(f"Written: {committed.write(name, rows, **about)}\n", flush=True)
    for name, seconds in (networks + conditions).most_common():
        print(f"for no claim: {name} {seconds:.1f} s")


if __name__ == "__main__":
    main()
