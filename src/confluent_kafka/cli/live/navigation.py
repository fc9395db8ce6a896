"""Where the user is in the live view: the pages that lead to the page on the screen."""

from __future__ import annotations

from confluent_kafka.cli.live.pages import Page, first_page
from confluent_kafka.cli.live.rows import TABLES
from confluent_kafka.cli.live.table import Row


class Navigation:
    """The pages that lead to the page on the screen.

    Args:
        view: the view to begin with, a name in TABLES.

    Attributes:
        view: the view, whose page is the first one.
        pages: the pages. The last one is on the screen.
    """

    def __init__(self, view: str) -> None:
        self._keys: list[Row | None] = []
        self.show(view)

    @property
    def page(self) -> Page:
        """The page on the screen."""
        return self.pages[-1]

    def show(self, view: str) -> None:
        """Show a view."""
        self.view = view
        self.pages: list[Page] = [first_page(view)]
        self._keys = []

    def move(self, steps: int) -> None:
        """Show the view that is some steps after this one. The first view follows the last view."""
        names = list(TABLES)
        self.show(names[(names.index(self.view) + steps) % len(names)])

    def open(self, row: Row, key: Row | None) -> None:
        """Show the page that a row opens, if it opens one.

        Args:
            row: the row.
            key: what identifies the row when the user goes back.
        """
        if self.page.opens is not None:
            page = self.page.opens(row)
            self._keys.append(key)
            self.pages.append(page)

    def go_back(self) -> Row | None:
        """Show the previous page, and return what identifies the row that was opened."""
        if len(self.pages) == 1:
            return None
        self.pages.pop()
        return self._keys.pop()
