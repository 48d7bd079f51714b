"""HTML and SVG as trees of elements. Text is escaped when it is rendered, so names of engines cannot inject markup."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree.ElementTree import Element, tostring

Child = Element | str | None


def element(tag: str, *children: Child | Iterable[Child], **attributes: object) -> Element:
    """Return an element of HTML or SVG. Attributes have Python names such as `class_` and `text_anchor`. Attributes and
    children that are None are left out."""
    made = Element(tag)
    for name, value in attributes.items():
        if value is not None:
            written = f"{value:.6g}" if isinstance(value, float) else str(value)
            made.set(name.rstrip("_").replace("_", "-") if name != "viewBox" else name, written)
    for child in children:
        for part in [child] if child is None or isinstance(child, Element | str) else child:
            _append(made, part)
    return made


def _append(parent: Element, child: Child) -> None:
    if isinstance(child, Element):
        parent.append(child)
    elif child and len(parent):
        parent[-1].tail = (parent[-1].tail or "") + child
    elif child:
        parent.text = (parent.text or "") + child


def render(root: Element) -> str:
    """Return an element as HTML text."""
    return tostring(root, encoding="unicode", method="html")


def section(title: str, *children: Child | Iterable[Child], **attributes: object) -> Element:
    """Return a section of a page, with the heading `title`."""
    return element("section", element("h2", title), *children, **attributes)


def figure(caption: str, *children: Child) -> Element:
    """Return a figure with its caption above it."""
    return element("figure", element("figcaption", caption), *children)


def table(head: Iterable[Child], rows: Iterable[Iterable[Child]], caption: str, **attributes: object) -> Element:
    """Return a table that scrolls horizontally on narrow screens. The first cell of each row is a heading."""
    names = list(head)
    return element(
        "div",
        element(
            "table",
            element("caption", caption),
            element("thead", element("tr", [element("th", name, scope="col") for name in names])),
            element("tbody", map(_row, rows)),
            **attributes,
        ),
        class_="scroll",
        tabindex=0,
        role="region",
        aria_label=caption,
    )


def _row(cells: Iterable[Child]) -> Element:
    heading, *others = cells
    return element("tr", element("th", heading, scope="row"), [element("td", cell) for cell in others])
