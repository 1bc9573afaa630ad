"""Stands in for a server whose answer a test wants to choose. Its last page is what the real one ends a sign-in in a
window with: the element with the message, and the real script."""

import html
import json
from typing import Any
from urllib.parse import urlsplit

from local_site import Document, LocalSite
from processes import ROOT

SCRIPT = ROOT / "Sources" / "Server" / "ServerPages" / "Resources" / "lanyard.js"


class Provider:
    """Every request for authorization gets `messages`, one after the other; with none, the page waits."""

    def __init__(self, site: LocalSite):
        self.site = site
        self.messages: list[str] = []
        self.requests: list[dict[str, str]] = []
        script = Document(SCRIPT.read_text(), "text/javascript; charset=utf-8")
        site.paths["/script.js"] = lambda _: script
        site.paths["/auth/authorize"] = self._authorize

    def will_answer(self, data: Any) -> None:
        self.messages = [json.dumps({"method": "oauthDone", "data": data})]

    def _authorize(self, query: dict[str, str]) -> Document:
        self.requests.append(query)
        redirect = urlsplit(query["redirect_uri"])
        origin = f"{redirect.scheme}://{redirect.netloc}"
        elements = (
            f'<p data-message="{html.escape(message)}" data-target-origin="{origin}">Going back</p>'
            for message in self.messages
        )
        return Document(
            "<!doctype html><title>Provider</title><main>" + "\n".join(elements)
            + '<p data-without-opener hidden>You can close this window.</p></main><script src="/script.js"></script>',
            headers={"Cross-Origin-Opener-Policy": "unsafe-none"})
