"""What hatchling puts into the wheel beside the packages: the book's pages, without its package."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LEFT_OUT = ("robust_book", "_build")


class PagesOfTheBook(BuildHookInterface):
    """Puts each page and folder of book/ where an installed library looks for it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name what is to be packed; an editable installation has it where it is."""
        if version == "editable":
            return
        for place in sorted((Path(self.root) / "book").iterdir()):
            if place.name not in LEFT_OUT:
                build_data["force_include"][str(place)] = f"robust_lib/project/book/{place.name}"
