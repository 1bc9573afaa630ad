"""The button that the script draws on pages of apps.

With LANYARD_SCREENSHOTS set to a folder, pictures of all its forms are left there.
"""

import os
from pathlib import Path
from typing import Any

import pytest
from app_page import COMPATIBLE, LISTEN, AppPage, script
from looks import complaints

HOST = "appleid-signin"
LABELS = {
    "en": ("Sign in with Lanyard", "Continue with Lanyard", "Sign up with Lanyard"),
    "ja": ("Lanyardでサインイン", "Lanyardで続ける", "Lanyardで登録"),
    "ko": ("Lanyard로 로그인", "Lanyard로 계속하기", "Lanyard로 가입하기"),
}
LOCALES = {"en": "en_US", "ja": "ja_JP", "ko": "ko_KR"}


def host(style: str = "", name: str = HOST, **data: str) -> str:
    attributes = "".join(f' data-{key.replace("_", "-")}="{value}"' for key, value in data.items())
    return f'<div id="{name}" style="{style}"{attributes}></div>'


def draw(app_page: AppPage, body: str, **options: Any) -> None:
    app_page.open(body=body, **options)
    app_page.init(usePopup=True)


def measure(app_page: AppPage, name: str = HOST) -> dict[str, Any]:
    """Where things are, in pixels from the button's left edge, and how it looks."""
    return app_page.run(
        """
        const button = document.querySelector(`#${arguments[0]} [role=button]`)
        const [mark, label] = button.children
        const box = button.getBoundingClientRect()
        const style = getComputedStyle(button)
        return {
            width: box.width, height: box.height, radius: style.borderTopLeftRadius,
            text: style.color, ground: style.backgroundColor, border: style.borderTopColor,
            mark: mark.getBoundingClientRect().left - box.left, markSize: mark.getBoundingClientRect().width,
            markEnd: mark.getBoundingClientRect().right - box.left,
            label: label ? label.getBoundingClientRect().left - box.left : null,
            labelEnd: label ? label.getBoundingClientRect().right - box.left : null,
            fits: label ? label.scrollWidth <= label.clientWidth : null,
            textSize: parseFloat(style.fontSize), outline: style.outlineStyle, display: style.display,
            font: style.fontFamily, weight: style.fontWeight, name: button.getAttribute("aria-label"),
            language: button.lang, shown: label ? label.textContent : null, tab: button.getAttribute("tabindex"),
        }
        """, name)


# Words.


@pytest.mark.parametrize("language", LABELS)
@pytest.mark.parametrize(("kind", "index"), [("sign-in", 0), ("sign in", 0), ("continue", 1), ("sign-up", 2)])
def test_the_path_names_the_language(app_page: AppPage, language: str, kind: str, index: int) -> None:
    draw(app_page, host(type=kind), locale=LOCALES[language], language="de")
    seen = measure(app_page)
    assert (seen["shown"], seen["name"], seen["language"]) == (LABELS[language][index],) * 2 + (language,)
    assert seen["tab"] == "0"


@pytest.mark.parametrize(
    ("locale", "page", "expected"),
    [("fr_FR", "ja", "ja"), ("pt_BR", "ko-KR", "ko"), ("fr_FR", "fr", "en"), ("de_DE", "", "en"), ("en_GB", "ja", "en"),
     ("constructor", "__proto__", "en")])
def test_other_languages_follow_the_page_or_are_english(
    app_page: AppPage, locale: str, page: str, expected: str
) -> None:
    draw(app_page, host(), locale=locale, language=page)
    assert measure(app_page)["shown"] == LABELS[expected][0]


def test_the_plain_path_follows_the_page(app_page: AppPage) -> None:
    app_page.open(LISTEN + script(f"{app_page.server}/lanyard.js"), host(name="lanyard-signin"), language="ko")
    app_page.init()
    assert measure(app_page, "lanyard-signin")["shown"] == LABELS["ko"][0]


# Attributes.


def test_what_is_left_out_is_as_documented(app_page: AppPage) -> None:
    draw(app_page, host("width: 300px"))
    seen = measure(app_page)
    assert (seen["width"], seen["height"], seen["radius"]) == (300, 44, "15px")
    assert (seen["text"], seen["ground"], seen["border"]) == (
        "rgb(255, 255, 255)", "rgb(0, 0, 0)", "rgb(124, 135, 131)")
    assert seen["mark"] > 20 and abs(seen["mark"] - (300 - seen["labelEnd"])) < 1, "centred"


ATTRIBUTES = [
    ({"width": "200", "height": "40"}, {"width": 200, "height": 40}),
    ({"width": "200px", "height": "40.5"}, {"width": 200, "height": 40.5}),
    ({"width": "129", "height": "29"}, {"width": 130, "height": 30}),
    ({"width": "376", "height": "65"}, {"width": 375, "height": 64}),
    ({"width": "100%", "height": "100%"}, {"width": 400, "height": 50}),
    ({"width": "wide", "height": "-3"}, {"width": 400, "height": 50}),
    ({"width": "1e9", "height": ""}, {"width": 400, "height": 50}),
    ({"border_radius": "0"}, {"radius": "0px"}),
    ({"border_radius": "50"}, {"radius": "50px"}),
    ({"border_radius": "51"}, {"radius": "50px"}),
    ({"border_radius": "1;color:red"}, {"radius": "15px"}),
    ({"color": "white"}, {"text": "rgb(0, 0, 0)", "ground": "rgb(255, 255, 255)"}),
    ({"color": "red"}, {"ground": "rgb(0, 0, 0)"}),
    ({"border": "false"}, {"border": "rgb(0, 0, 0)"}),
    ({"border": "false", "color": "white"}, {"border": "rgb(255, 255, 255)"}),
    ({"type": "dance", "mode": "dance"}, {"shown": "Sign in with Lanyard"}),
    ({"mode": "logo-only", "size": "48"}, {"width": 48, "height": 48, "shown": None, "name": "Sign in with Lanyard"}),
    ({"mode": "logo-only", "type": "continue"}, {"width": 50, "height": 50, "name": "Continue with Lanyard"}),
    ({"mode": "logo-only", "size": "9999"}, {"width": 375, "height": 375}),
]


@pytest.mark.parametrize(("data", "expected"), ATTRIBUTES, ids=[" ".join(map(str, d.items())) for d, _ in ATTRIBUTES])
def test_attributes_are_obeyed_within_their_bounds(
    app_page: AppPage, data: dict[str, str], expected: dict[str, Any]
) -> None:
    draw(app_page, host("width: 400px; height: 50px", **data))
    seen = measure(app_page)
    assert {name: seen[name] for name in expected} == expected


def test_left_align_puts_mark_and_label_where_the_page_says(app_page: AppPage) -> None:
    def look(**data: str) -> dict[str, Any]:
        draw(app_page, host("width: 360px", mode="left-align", height="50", **data))
        return measure(app_page)

    plain = look()
    assert plain["mark"] < 15 and plain["label"] - plain["markEnd"] < 15
    sizes = [look(logo_size=size)["markSize"] for size in ("small", "medium", "large")]
    assert sizes == sorted(sizes) and sizes[0] < sizes[1] < sizes[2] < 50
    moved = look(logo_position="40", label_position="100")
    assert (round(moved["mark"]), round(moved["label"])) == (40, 100)
    far = look(logo_position="300", label_position="300")
    assert round(far["mark"]) == 180, "up to the middle"
    assert far["label"] >= far["markEnd"], "never on the mark"
    assert far["fits"]


@pytest.mark.parametrize("language", LABELS)
def test_labels_fit_into_the_narrowest_and_the_lowest_button(app_page: AppPage, language: str) -> None:
    names = [f"button-{index}" for index in range(6)]
    bodies = [
        host(name=name, width="130", height=height, type=kind)
        for name, (height, kind) in zip(
            names, [(h, k) for h in ("30", "64") for k in ("sign-in", "continue", "sign-up")])
    ]
    draw(app_page, "".join(bodies), locale=LOCALES[language])
    for name in names:
        app_page.run("AppleID.auth.renderButton({id: arguments[0]})", name)
        seen = measure(app_page, name)
        assert seen["fits"], seen
        assert seen["textSize"] >= 8
        assert 0 < seen["mark"] and seen["labelEnd"] < seen["width"]


# The page around it.


def test_it_is_drawn_again_when_the_page_asks(app_page: AppPage) -> None:
    draw(app_page, host() + host(name="lanyard-signin") + host(name="third"))
    assert app_page.browser.texts("[role=button]") == ["Sign in with Lanyard"] * 2
    app_page.run("AppleID.auth.renderButton({id: 'third'})")
    assert app_page.browser.texts("#third [role=button]") == ["Sign in with Lanyard"]
    app_page.run(
        "document.getElementById(arguments[0]).dataset.type = 'continue'; AppleID.auth.renderButton()", HOST)
    assert app_page.browser.texts(f"#{HOST} [role=button]") == ["Continue with Lanyard"]
    app_page.run("AppleID.auth.renderButton({id: 'not\"there]'})")


def test_the_strictest_policy_of_a_page_changes_nothing(app_page: AppPage) -> None:
    """Any complaint of the browser fails the test."""
    draw(app_page, '<div id="appleid-signin" data-width="240"></div>')
    expected = measure(app_page)
    head = script(app_page.server + COMPATIBLE.format(locale="en_US"))
    app_page.open(
        head, '<div id="appleid-signin" data-width="240"></div>',
        Content_Security_Policy=f"default-src 'none'; script-src {app_page.server}; require-trusted-types-for 'script'")
    app_page.init()
    assert measure(app_page) == expected


def test_the_styles_of_the_page_do_not_get_in(app_page: AppPage) -> None:
    draw(app_page, host("width: 300px"))
    expected = measure(app_page)
    app_page.open(
        "<style>#appleid-signin div, #appleid-signin span, #appleid-signin svg, #appleid-signin path, * {"
        "color: red; background: yellow; fill: lime; font: italic 40px serif; padding: 9px; margin: 9px; width: 7px;"
        "border: 4px dotted; text-transform: uppercase; letter-spacing: 9px; display: inline; opacity: 0.2 }"
        "html, body, main, #appleid-signin { display: block !important; width: auto; padding: 0; margin: 0 }</style>"
        + LISTEN + script(app_page.server + COMPATIBLE.format(locale="en_US")),
        host("width: 300px"))
    app_page.init()
    assert measure(app_page) == expected


def test_a_button_that_is_shown_later_or_gets_other_room_fits(app_page: AppPage) -> None:
    draw(app_page, f'<div id="panel" hidden>{host("width: 200px; height: 60px")}</div>')
    app_page.run("document.getElementById('panel').hidden = false")
    app_page.browser.wait(lambda _: measure(app_page)["height"] == 60, "the height of its place")
    app_page.run("document.getElementById(arguments[0]).style.width = '130px'", HOST)
    app_page.browser.wait(
        lambda _: (seen := measure(app_page))["width"] == 130 and seen["fits"], "smaller text in less room")
    app_page.run("Object.assign(document.getElementById(arguments[0]).style, {width: '300px', height: '40px'})", HOST)
    app_page.browser.wait(
        lambda _: (seen := measure(app_page))["textSize"] == 16 and seen["height"] == 40, "larger text again")


# For everyone.


def test_the_focus_shows_for_the_keyboard_and_not_for_the_mouse(app_page: AppPage) -> None:
    draw(app_page, "<button>before</button>" + host())
    driver = app_page.browser.driver
    driver.find_element("css selector", "button").send_keys("\ue004")  # Tab
    assert measure(app_page)["outline"] == "solid"
    driver.find_element("css selector", "button").click()
    assert measure(app_page)["outline"] == "none"
    app_page.run("window.open = () => null")
    driver.find_element("css selector", "[role=button]").click()
    assert app_page.run("return document.activeElement.getAttribute('role')") == "button"
    assert measure(app_page)["outline"] == "none"


def test_a_key_that_is_held_or_another_begins_nothing_more(app_page: AppPage) -> None:
    draw(app_page, host() + '<p style="height: 3000px"></p>')
    app_page.run("window.count = 0; window.open = () => { count += 1; return null }")
    press = """
        const [type, key, repeat] = arguments
        const event = new KeyboardEvent(type, {key, repeat, bubbles: true, cancelable: true})
        return document.querySelector("[role=button]").dispatchEvent(event)
        """
    assert app_page.run(press, "keydown", "Enter", False) is False
    app_page.run(press, "keydown", "Enter", True)
    app_page.run(press, "keyup", "Enter", False)
    assert app_page.run("return count") == 1
    assert app_page.run(press, "keydown", " ", False) is False, "which would scroll the page"
    assert app_page.run("return count") == 1
    app_page.run(press, "keyup", " ", False)
    assert app_page.run("return count") == 2
    for key in ("a", "Tab", "Escape"):
        assert app_page.run(press, "keydown", key, False) is True
        app_page.run(press, "keyup", key, False)
    assert app_page.run("return count") == 2


def test_forced_colours_keep_an_edge(app_page: AppPage) -> None:
    draw(app_page, host(border="false"))
    try:
        app_page.browser.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "forced-colors", "value": "active"}]})
        seen = measure(app_page)
        assert seen["border"] != seen["ground"]
        assert seen["text"] != seen["ground"]
    finally:
        app_page.browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


VARIANTS = [
    {"width": "240", "height": "44"},
    {"width": "240", "height": "44", "border": "false", "border_radius": "0"},
    {"width": "240", "height": "44", "type": "continue"},
    {"width": "240", "height": "44", "type": "sign-up", "border_radius": "22"},
    {"width": "280", "height": "44", "mode": "left-align"},
    {"width": "280", "height": "44", "mode": "left-align", "logo_size": "medium", "logo_position": "20",
     "label_position": "80"},
    {"width": "280", "height": "44", "mode": "left-align", "logo_size": "large", "type": "continue"},
    {"width": "130", "height": "30"},
    {"width": "130", "height": "64", "type": "continue"},
    {"width": "375", "height": "64", "type": "continue"},
    {"mode": "logo-only", "size": "44"},
    {"mode": "logo-only", "size": "64", "border_radius": "32"},
]


@pytest.mark.parametrize("language", LABELS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everyone_can_use_every_form_of_it(app_page: AppPage, language: str, scheme: str) -> None:
    names = []
    body = f'<div style="{"background: #181c1d" if scheme == "dark" else ""}; padding: 24px"><div style="columns: 2">'
    for colour in ("black", "white"):
        for variant in VARIANTS:
            names.append(f"button-{len(names)}")
            body += host("margin-bottom: 16px; break-inside: avoid", names[-1], color=colour, **variant)
    app_page.browser.look(960, 900, scheme, 2)
    draw(app_page, body + "</div></div>", locale=LOCALES[language], language=language)
    for name in names:
        app_page.run("AppleID.auth.renderButton({id: arguments[0]})", name)
    # The first is looked at with the keyboard's focus on it.
    app_page.run("document.querySelector('#button-0 [role=button]').focus({focusVisible: true})")
    if folder := os.environ.get("LANYARD_SCREENSHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        app_page.browser.screenshot(Path(folder) / f"button-{language}-{scheme}.png", whole_page=True)
    assert complaints(app_page.browser) == []
