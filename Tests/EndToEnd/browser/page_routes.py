"""The pages that console and portal have, as the server's own lists of them say."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from processes import ROOT


@dataclass(frozen=True)
class Routes:
    paths: frozenset[str]

    def of(self, url: str) -> str | None:
        """The route of an address: the one with the most fixed parts, as routers choose."""
        parts = urlsplit(url).path.strip("/").split("/")
        fitting = [
            path for path in self.paths
            if len(route := path.strip("/").split("/")) == len(parts)
            and all(name.startswith("{") or name == part for name, part in zip(route, parts, strict=True))]
        return min(fitting, key=lambda path: path.count("{"), default=None)

    def kind(self, url: str) -> str:
        """What a page is, without its subject: the route, and the names in its query."""
        names = sorted({each.split("=")[0] for each in urlsplit(url).query.split("&") if each})
        return f"{self.of(url)}?{'&'.join(names)}"


def console_routes() -> Routes:
    """From the list with which each page is tried for each role; that list is whole, as a test of its own says."""
    text = "".join(
        file.read_text() for file in sorted((ROOT / "Tests" / "ConsoleTests").rglob("Console*.swift")))
    paths = set(re.findall(r'\.page\(\s*"(/manager[^"\\]*)"', text))
    for topic in re.findall(r'= topic\("([a-z-]+)"', text):
        path = f"/manager/access/{topic}"
        paths |= {path} | {path + rest for rest in re.findall(r'\.page\(\s*"\\\(path\)([^"]*)"', text)}
    return Routes(frozenset(paths))


# What the portal's routes are made of by loops.
LOOPS = {"entry": ["found", "join"], "step": ["withdraw", "accept", "decline", "remove"]}


def portal_routes() -> Routes:
    """From where they are mounted."""
    paths = set()
    for file in (ROOT / "Sources" / "Server" / "ServerHTTP" / "Portal").glob("*.swift"):
        text = file.read_text()
        names = dict(re.findall(r'let (\w+): RouterPath = "([^"]+)"', text))
        for quoted, name in re.findall(r'router\.get\((?:"([^"]+)"|(\w+))[,)]', text):
            path = re.sub(r"\\\((\w+)\)", lambda found: names[found[1]], quoted) or names[name]
            loop = re.search(r"\\\((\w+)\.rawValue\)", path)
            values = LOOPS[loop[1]] if loop else [""]
            paths |= {"/" + re.sub(r"\\\(\w+\.rawValue\)", value, path) for value in values}
    return Routes(frozenset(paths))
