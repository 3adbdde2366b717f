"""A tour in two minutes: one picture, one corruption, one network, one number."""

from types import MappingProxyType

from robust_lib.run.chapter import Chapter

CHAPTER = Chapter(
    "00_tour",
    networks="imagenet_c",
    baseline=True,
    settings=MappingProxyType({"model": "models", "corruption": "corruptions"}),
)
