"""Somebody who has a keyboard and no mouse."""

from pathlib import Path

from chromium import Chromium
from scene import Account
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

# Where the focus is, and whether it can be seen: the element or what holds it has a ring, and it lies in the window.
WHERE = """
    const element = document.activeElement
    if (!element || element === document.body) return null
    const box = element.getBoundingClientRect()
    let ring = false
    for (let each = element, steps = 0; each && steps < 3; each = each.parentElement, steps++) {
        const style = getComputedStyle(each)
        ring ||= style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2
    }
    const inside = box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight
        && box.right > 0 && box.left < innerWidth
    return {
        id: element.id, name: element.name || "", value: element.value || "", tag: element.localName, ring, inside,
        text: (element.innerText || element.getAttribute("aria-label") || "").trim().split("\\n").pop(),
        html: element.outerHTML.slice(0, 200),
    }
"""


class Keyboard:
    def __init__(self, browser: Chromium):
        self.browser = browser

    def press(self, *keys: str) -> None:
        self.browser.driver.switch_to.active_element.send_keys(*keys)

    @property
    def place(self) -> dict | None:
        """Where the focus is; nothing at the start of a page."""
        return self.browser.driver.execute_script(WHERE)

    def tab(self, back: bool = False) -> dict | None:
        """Goes one step on, and sees where that is."""
        # By keys alone: what is sent to a field for files is the name of one.
        keys = ActionChains(self.browser.driver)
        if back:
            keys.key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT).perform()
        else:
            keys.send_keys(Keys.TAB).perform()
        place = self.place
        assert place is None or (place["ring"] and place["inside"]), f"nobody sees the focus on {place}"
        return place

    def go_to(self, wanted: str, back: bool = False, **further: str) -> None:
        """Goes on until the focus is on what has that text, name or id."""
        passed = []
        for _ in range(80):
            place = self.tab(back)
            if place and wanted in (place["text"], place["name"], place["id"]) and further.items() <= place.items():
                return
            passed.append(place and (place["text"] or place["name"] or place["tag"]))
        raise AssertionError(f"the keyboard does not reach “{wanted}” on “{self.browser.heading}”, but {passed}")

    def enter(self) -> None:
        """Presses Enter, and is on the page that follows."""
        self.browser.leave(lambda: self.press(Keys.ENTER))

    def skip(self) -> None:
        """By the link for that, from the start of a page to what is on it."""
        assert self.place is None, f"the focus is not at the start of the page, but on {self.place}"
        place = self.tab()
        assert place and place["text"] == "Skip to the page"
        self.press(Keys.ENTER)
        self.browser.wait(lambda _: (self.place or {}).get("id") == "content", "the focus is on the page itself")

    def choose(self, wanted: str, back: bool = False, **further: str) -> None:
        """Goes to a link or button, and presses it."""
        self.go_to(wanted, back, **further)
        self.enter()

    def pick(self, name: str, value: str) -> None:
        """Goes to a row of radio buttons, and along it to the one with that value."""
        self.go_to(name)
        passed = []
        while self.place["value"] != value:
            assert self.place["value"] not in passed, f"the arrow keys do not reach “{value}”, but {passed}"
            passed.append(self.place["value"])
            self.press(Keys.ARROW_DOWN)
        if not passed:
            # The focus comes to the first of them also where none is chosen.
            self.press(" ")

    def hand_in(self, name: str, file: Path) -> None:
        """Goes to a field for a file. The dialog in which a file is chosen is no part of the page: WebDriver stands for it."""
        self.go_to(name)
        self.press(str(file))

    def sign_in(self, account: Account) -> None:
        """At the page for that, in whose first field the focus may be already."""
        if (self.place or {}).get("name") != "username":
            self.go_to("username")
        self.press(account.username)
        self.go_to("password")
        self.press(account.password)
        self.enter()

    def tick(self, wanted: str, **further: str) -> None:
        self.go_to(wanted, **further)
        self.press(" ")
        self.browser.wait(
            lambda driver: driver.execute_script("return document.activeElement.checked"), f"“{wanted}” is ticked", timeout=5)

    def call(self, name: str) -> None:
        """Goes to a page by the palette."""
        self.press(Keys.CONTROL, "k")
        self.browser.wait(lambda _: (self.place or {}).get("id") == "palette", "the palette is there")
        assert self.place["ring"], "nobody sees the focus in the palette"
        self.press(name)
        self.browser.wait(
            lambda driver: any(
                name in each.text for each in driver.find_elements("css selector", "dialog [aria-selected=true]")),
            f"the palette has “{name}”")
        self.enter()
