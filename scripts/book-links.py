#!/usr/bin/env python3
"""Preprocessor of mdBook: removes links that leave the book.

Pages link to source files with paths that work in the repository. The book has no sources: there the text of such
a link is kept, without its target.
"""

import json
import posixpath
import re
import sys

LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")


def in_book(page: str, text: str) -> str:
    """The text of a page, with links that stay inside docs/ and links to the web only."""

    def replaced(link: re.Match[str]) -> str:
        label, target = link.groups()
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
        return label if path.startswith("..") and "://" not in target else link.group()

    return LINK.sub(replaced, text)


def visit(items: list) -> None:
    for item in items:
        chapter = item.get("Chapter") if isinstance(item, dict) else None
        if chapter is None:
            continue
        if chapter.get("path"):
            chapter["content"] = in_book(chapter["path"], chapter["content"])
        visit(chapter["sub_items"])


def main() -> None:
    if sys.argv[1:2] == ["supports"]:
        return
    _, book = json.load(sys.stdin)
    visit(book.get("items") or book.get("sections") or [])
    json.dump(book, sys.stdout)


if __name__ == "__main__":
    main()
