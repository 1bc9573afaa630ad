"""A page as a screen reader has it: the tree that Chromium makes for programs which read pages aloud."""

from collections.abc import Iterator
from dataclasses import dataclass

from chromium import Chromium

# What somebody operates, and what only makes sense with a name.
NAMED = {
    "button", "link", "textbox", "searchbox", "combobox", "checkbox", "radio", "listbox", "spinbutton", "slider", "switch",
    "Date", "DateTime", "InputTime", "ColorWell", "PopUpButton", "ComboBoxMenuButton", "dialog", "progressbar",
    "navigation", "complementary", "radiogroup", "image", "table", "columnheader", "rowheader"}


@dataclass(frozen=True)
class Node:
    role: str
    name: str
    description: str
    properties: dict[str, object]
    # All that is read out below it.
    text: str
    below: tuple["Node", ...]

    def all(self) -> Iterator["Node"]:
        yield self
        for node in self.below:
            yield from node.all()

    def with_role(self, *roles: str) -> list["Node"]:
        return [node for node in self.all() if node.role in roles]


def tree(browser: Chromium) -> Node:
    nodes = browser.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    by_id = {node["nodeId"]: node for node in nodes}

    def value(node: dict, key: str) -> str:
        return str(node.get(key, {}).get("value", "")).strip()

    def read(node: dict) -> Node:
        below = tuple(read(by_id[each]) for each in node.get("childIds", ()) if each in by_id)
        role = "" if node.get("ignored") else value(node, "role")
        own = value(node, "name") if role == "StaticText" else ""
        return Node(
            role, value(node, "name"), value(node, "description"),
            {each["name"]: each["value"].get("value") for each in node.get("properties", ())},
            " ".join(part for part in [own, *(each.text for each in below)] if part), below)

    return read(next(node for node in nodes if "parentId" not in node))


def flaws(page: Node) -> list[str]:
    """What is missing for somebody who hears the page."""
    flaws = []
    firsts = [node for node in page.with_role("heading") if node.properties.get("level") == 1]
    if len(firsts) != 1 or not firsts[0].name:
        flaws.append(f"has the headings {[node.name for node in firsts]} of the first level")
    for role, count in {"main": 1, "navigation": 1, "contentinfo": 1}.items():
        if len(page.with_role(role)) != count:
            flaws.append(f"has {len(page.with_role(role))} landmarks {role}")
    for node in page.with_role(*NAMED):
        if not node.name:
            flaws.append(f"{node.role} has no name: {node.text[:100]}")
    for table in page.with_role("table"):
        if not table.with_role("columnheader"):
            flaws.append(f"the table “{table.name}” has no headings of columns")
        if not table.with_role("rowheader"):
            flaws.append(f"the table “{table.name}” has no headings of rows")
    for chart in page.with_role("figure"):
        captions = [node.text for node in chart.with_role("Figcaption")]
        if not captions or not any(character.isdigit() for character in chart.text.replace(captions[0], "")):
            flaws.append(f"the chart {captions} tells no number: {chart.text}")
    for node in page.with_role("textbox", "combobox", "checkbox", "radio"):
        if node.properties.get("invalid") == "true" and not node.description:
            flaws.append(f"the field “{node.name}” is wrong, and nothing says why")
    return flaws
