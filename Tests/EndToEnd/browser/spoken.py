"""Leads a browser through pages in any of the languages, by the English words that tests are written in."""

import json
from collections.abc import Iterator

from app_visit import LANGUAGES
from chromium import Chromium
from console import follow, heading
from processes import ROOT
from visit import plain

FOLDERS = [ROOT / "Sources" / "Server" / room / "Resources" for room in ("ServerPages", "ConsolePages")]


def entries(value: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """All texts of a catalogue with the keys that lead to them. Each form of a plural is one."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, below in value.items():
            yield from entries(below, (*path, key))


def texts(language: str) -> dict[tuple[str, ...], str]:
    found = {}
    for folder in FOLDERS:
        for file in sorted(folder.glob("*.json")):
            name, _, its_language = file.stem.rpartition("-")
            if its_language == language:
                found |= {(folder.parent.name, name, *path): text for path, text in entries(json.loads(file.read_text()))}
    return found


class Spoken:
    """A browser whose pages are in a language."""

    ENGLISH = texts("en")

    def __init__(self, browser: Chromium, language: str):
        self.browser = browser
        self.language = language
        self.others = texts(language)

    def words(self, english: str, **values: str) -> set[str]:
        """What the pages say for it. Several keys can have the same words in English and others elsewhere."""
        keys = [key for key, text in self.ENGLISH.items() if text == english]
        assert keys, f"no text in English is “{english}”"
        # A language without a plural has only the form for all numbers.
        found = {self.others.get(key) or self.others[(*key[:-1], "other")] for key in keys}
        for name, value in values.items():
            found = {text.replace(f"{{{name}}}", value) for text in found}
        return {plain(text) for text in found}

    def press(self, english: str, **values: str) -> None:
        button = self.button(english, **values)
        self.browser.leave(lambda: self.browser.click(button))

    def button(self, english: str, **values: str):
        wanted = self.words(english, **values)
        if found := self.browser.find("button, a", lambda words: plain(words) in wanted):
            return found
        raise LookupError(f"no button {wanted} on “{self.browser.heading}”:\n{self.browser.text}")

    def follow(self, english: str, **values: str) -> None:
        wanted = self.words(english, **values)
        for name in wanted:
            try:
                return follow(self.browser, name)
            except LookupError:
                continue
        raise LookupError(f"no link {wanted} on “{self.browser.heading}”")

    def has_heading(self, english: str, **values: str) -> bool:
        return plain(heading(self.browser)) in self.words(english, **values)

    def wait_for(self, english: str, timeout: float = 60, **values: str) -> None:
        self.browser.wait(lambda _: self.has_heading(english, **values), f"the page “{english}”", timeout=timeout)

    def follow_part(self, english: str, **values: str) -> None:
        """Follows the link whose words begin so."""
        wanted = self.words(english, **values)
        if found := self.browser.find("main a", lambda words: plain(words).startswith(tuple(wanted))):
            return self.browser.leave(lambda: self.browser.click(found))
        raise LookupError(f"no link begins with {wanted} on “{self.browser.heading}”")

    def says(self, english: str, **values: str) -> bool:
        """Whether the page has these words, which may have a placeholder in front or behind."""
        text = plain(self.browser.text)
        return any(words in text for words in self.words(english, **values))

    def choose_language(self) -> None:
        """As a person does it, at the foot of a page."""
        if self.browser.language != self.language:
            self.browser.press(LANGUAGES[self.language])
        assert self.browser.language == self.language
