"""The id of a claim on its page, to which strips and ledgers link."""


def anchor(item: str, number: int) -> str:
    """Return the id of an item's claim on its page; claims are counted from one.

    >>> anchor("inc-tab1", 1)
    'inc-tab1-claim-1'
    """
    return f"{item.lower()}-claim-{number}"
