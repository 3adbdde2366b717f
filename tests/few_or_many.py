"""How hypothesis draws examples: few and the same ones at each change, many others in the soak."""

from hypothesis import HealthCheck, settings


def few_or_many(examples: int) -> settings:
    """Return settings for a number of examples, which differ at each run from 100 on."""
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=examples < 100,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
