"""`make demo-sso`: a company's site, a browser and a native program, with everything that they are made of."""

import base64
import json
import os
import pty
import re
import select
import stat
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from broker import SocketConnection
from plain_browser import PlainBrowser
from processes import LANYARD, LANYARD_SSO, Program, free_port, run, wait_until
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait


class Demo:
    """`lanyard sso demo` in a folder, on free ports. `wrapper` stands before its command."""

    def __init__(self, folder: Path, wrapper: tuple[str, ...] = ()):
        self.folder = folder
        self.wrapper = wrapper
        self.program: Program | None = None

    def start(self, *, has_desktop: bool = True, ports: tuple[int, int] | None = None) -> "Demo":
        """Pages that the device shows on the desktop are noted; without a desktop it can show none."""
        file = self.folder / "demo.json"
        file.unlink(missing_ok=True)
        self.folder.mkdir(exist_ok=True)
        show_page = self.folder / "show-page"
        show_page.write_text(f"#!/bin/sh\necho \"$1\" >> '{self.folder}/pages'\n")
        show_page.chmod(0o755)
        desktop = (["--page-program", show_page] if has_desktop else [])
        port, site_port = ports or (free_port(), free_port())
        self.program = Program(
            *self.wrapper, "env", "-u", "DISPLAY", "-u", "WAYLAND_DISPLAY", "-u", "XDG_RUNTIME_DIR", LANYARD, "sso", "demo",
            "--folder", self.folder, "--port", port, "--site-port", site_port, "--no-browser", *desktop,
            log=self.folder / "demo.log")
        self.program.wait_until(file.exists, 90, "the demo is ready")
        self.facts: dict[str, Any] = json.loads(file.read_text())
        return self

    def stop(self) -> None:
        if self.program:
            self.program.stop()
            self.program = None

    @property
    def site(self) -> str:
        return self.facts["site"]

    @property
    def user_name(self) -> str:
        return self.facts["account"]["username"]

    @property
    def password(self) -> str:
        return self.facts["account"]["password"]

    def order(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """The native program without a terminal: nobody can be asked there."""
        return subprocess.run(
            [self.facts["client"], *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=60, start_new_session=True)

    def order_at_terminal(self, picture: str, *answers: tuple[str, str]) -> str:
        """The native program in a terminal of its own, in which each question gets its answer."""
        process, terminal = pty.fork()
        if process == 0:
            os.execv(self.facts["client"], [self.facts["client"], picture])
        shown, seen, waiting = "", 0, list(answers)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if not select.select([terminal], [], [], 0.2)[0]:
                continue
            try:
                part = os.read(terminal, 4096)
            except OSError:  # the other end is closed
                break
            shown += part.decode(errors="replace")
            if waiting and waiting[0][0] in shown[seen:]:
                seen = len(shown)
                os.write(terminal, (waiting.pop(0)[1] + "\n").encode())
        os.close(terminal)
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        assert status == 0 and not waiting, shown
        return shown

    def pages_shown(self) -> list[str]:
        """The pages that the broker had to show on the desktop."""
        file = self.folder / "pages"
        return file.read_text().splitlines() if file.exists() else []

    def ask_broker(self, request: dict[str, Any]) -> str:
        """A request as a program makes it; what it is asked it agrees to."""
        outcome: list[str] = []

        def ask() -> None:
            connection = SocketConnection(Path(self.facts["socket"]), 60)
            connection.request("POST", "/v1/requests", body=json.dumps(request))
            outcome.append(connection.getresponse().read().decode().splitlines()[-1])

        known = len(self.pages_shown())
        asking = threading.Thread(target=ask)
        asking.start()
        while asking.is_alive():
            if len(self.pages_shown()) > known:
                known += 1
                browser = PlainBrowser()
                browser.press("Continue", browser.open(self.pages_shown()[-1]))
            asking.join(0.1)
        return outcome[0]

    def log(self) -> list[dict[str, Any]]:
        connection = SocketConnection(Path(self.facts["socket"]))
        connection.request("GET", "/v1/log")
        return json.loads(connection.getresponse().read())


class Browser:
    """Chromium as the demo starts it, but without a window."""

    def __init__(self, demo: Demo):
        self.demo = demo
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        own = ("--headless=new", "--window-size=1000,900", "--lang=en-US", "--disable-dev-shm-usage")
        for switch in (*own, *demo.facts["browserArguments"]):
            options.add_argument(switch)
        options.add_experimental_option("excludeSwitches", ["disable-extensions"])
        options.set_capability("goog:loggingPrefs", {"performance": "ALL"})
        service = webdriver.ChromeService(
            "/usr/bin/chromedriver", env=os.environ | {"LANYARD_SSO_SOCKET": demo.facts["socket"]})
        self._start(options, service)

    def _start(self, options: webdriver.ChromeOptions, service: webdriver.ChromeService) -> None:
        """On a busy machine a tab that is opened while extensions are being loaded can hang for good; then the browser
        is started anew, once or twice."""
        for attempt in (1, 2, 3):
            self.driver = webdriver.Chrome(options, service)
            self.driver.set_page_load_timeout(10)
            try:
                self._wait_for_worker()
                self.wait_for_rules()
                self.driver.set_page_load_timeout(60)
                return
            except Exception:
                self.driver.quit()
                if attempt == 3:
                    raise

    def _wait_for_worker(self) -> None:
        def runs() -> bool:
            targets = self.driver.execute_cdp_cmd("Target.getTargets", {})["targetInfos"]
            return any(one["type"] == "service_worker" for one in targets)

        WebDriverWait(self.driver, 30, 0.05).until(lambda _: runs())

    def wait_for_rules(self) -> None:
        """A browser that has only just started does not know yet what is covered."""
        [manifest] = self.demo.folder.glob("device/browser/**/NativeMessagingHosts/*.json")
        [extension] = json.loads(manifest.read_text())["allowed_origins"]
        self.driver.get(f"{extension}page.html")
        self.wait(
            lambda: self.driver.execute_script(
                "return chrome.declarativeNetRequest.getDynamicRules().then(rules => rules.length > 0)"),
            # It looks for a broker once a minute.
            "the extension knows what is covered", 90)

    def open(self, url: str) -> None:
        self.driver.get(url)

    def wait(self, condition, what: str, timeout: float = 30) -> Any:
        try:
            return WebDriverWait(self.driver, timeout, 0.05, ignored_exceptions=[Exception]).until(lambda _: condition())
        except Exception:
            text = self.driver.execute_script("return document.body ? document.body.innerText : ''")
            raise AssertionError(f"{what}, but {self.driver.current_url} shows:\n{text}") from None

    @property
    def heading(self) -> str:
        return self.driver.find_element(By.TAG_NAME, "h1").text

    def fill(self, kind: str, value: str) -> None:
        self.driver.find_element(By.CSS_SELECTOR, f"input[type={kind}]").send_keys(value)

    def press(self, label: str) -> None:
        [button] = [one for one in self.driver.find_elements(By.TAG_NAME, "button") if one.text == label]
        button.click()

    def loaded(self) -> list[str]:
        """Every address that has answered since the last look."""
        messages = (json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance"))
        return [
            message["params"]["response"]["url"] for message in messages
            if message["method"] == "Network.responseReceived"
        ]

    def is_greeted_at_the_site(self, name: str) -> None:
        """Opens the site. A broker that needs more than a second to answer, as on a busy machine, is not waited for, and
        a page asks on the web instead: then the site is opened anew, once or twice."""
        for _ in range(3):
            self.open(self.demo.site)
            self.wait(lambda: self.heading.startswith(("Hello", "Sign in")), "the site greets, or a page asks")
            # The address does not tell: a page that asks is at /continue/, or at another one that has this in its query.
            if self.heading.startswith("Hello"):
                break
        self.greets(name)

    def greets(self, name: str) -> None:
        self.wait(lambda: self.heading == f"Hello, {name}!", f"the page greets {name}")

    def sees_pictures(self) -> None:
        self.wait(
            lambda: self.driver.execute_script(
                "return [...document.images].length === 2 && [...document.images].every(i => i.naturalWidth > 0)"),
            "both pictures are there")

    def stop(self) -> None:
        self.driver.quit()


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    demo = Demo(tmp_path_factory.mktemp("demo") / "sso")
    try:
        yield demo.start()
    finally:
        demo.stop()


@pytest.fixture(scope="module")
def browser(demo: Demo) -> Iterator[Browser]:
    browser = Browser(demo)
    yield browser
    browser.stop()


@pytest.fixture
def nobody(demo: Demo, browser: Browser) -> None:
    """Signed out of everything: the site, the device, and by that the school's server."""
    assert demo.order("sign-out").returncode == 0
    # The demo may have been restarted: until the browser has connected to its broker, pages come from the web.
    browser.wait_for_rules()
    browser.open(f"{demo.site}/signed-out")
    browser.driver.delete_all_cookies()
    (demo.folder / "pages").unlink(missing_ok=True)


def sign_in_anew(demo: Demo) -> None:
    assert demo.order("sign-out").returncode == 0
    demo.order_at_terminal("burger", ("name", demo.user_name), ("assword", demo.password))


def is_burger(text: str) -> bool:
    return "gggggggggggggggggggg" in text


def is_taco(text: str) -> bool:
    return "tttttttttttttttttttt" in text


def test_first_the_browser_then_the_native_program(demo: Demo, browser: Browser, nobody: None) -> None:
    name = demo.facts["account"]["name"]
    # Loading the page is enough to begin.
    browser.open(f"{demo.site}/welcome")
    browser.driver.find_element(By.LINK_TEXT, "To the menu").click()
    # The extension asks for user name and password in the tab; the server's sign-in page is not loaded.
    browser.wait(lambda: browser.heading.startswith("Sign in"), "the form is there")
    assert browser.driver.current_url.startswith("chrome-extension://")
    browser.fill("text", demo.user_name)
    browser.fill("password", demo.password)
    browser.press("Sign in")
    # The page loads, and shows the name.
    browser.greets(name)
    browser.sees_pictures()
    assert browser.driver.current_url == f"{demo.site}/"
    loaded = browser.loaded()
    assert f"{demo.site}/" in loaded and not [url for url in loaded if url.startswith(demo.facts["server"])]

    # A native program reaches the protected pictures, without asking.
    burger = demo.order("burger")
    assert burger.returncode == 0, burger.stderr
    assert is_burger(burger.stdout) and "Nobody was asked" in burger.stderr
    # So does a second request for another picture.
    tacos = demo.order("tacos")
    assert tacos.returncode == 0, tacos.stderr
    assert is_taco(tacos.stdout) and "Nobody was asked" in tacos.stderr
    assert demo.pages_shown() == []


def test_the_other_way_round(demo: Demo, browser: Browser, nobody: None) -> None:
    # Without an earlier sign-in, the native program shows the form.
    shown = demo.order_at_terminal("tacos", ("name", demo.user_name), ("assword", demo.password))
    assert "You signed in." in shown and "Nobody was asked" not in shown
    assert demo.password not in shown
    assert "the sign-on extension of Maple District." in shown
    # After that, other programs reach other protected things without a form.
    burger = demo.order("burger")
    assert burger.returncode == 0 and is_burger(burger.stdout) and "Nobody was asked" in burger.stderr
    # And the page greets the person by name at once.
    browser.is_greeted_at_the_site(demo.facts["account"]["name"])
    browser.sees_pictures()
    assert demo.pages_shown() == []


def test_the_page_of_signing_out_says_it_to_those_who_have(demo: Demo, browser: Browser, nobody: None) -> None:
    name = demo.facts["account"]["name"]
    sign_in_anew(demo)
    browser.is_greeted_at_the_site(name)
    browser.open(f"{demo.site}/signed-out")
    browser.greets(name)
    # The tab's picture is one.
    assert browser.driver.execute_async_script("""
        const icon = new Image();
        icon.onload = icon.onerror = () => arguments[0](icon.naturalWidth);
        icon.src = document.querySelector('link[rel=icon]').href;""") > 0
    browser.press("Sign out")
    browser.wait(lambda: browser.heading == "You are signed out", "the page says so")
    assert "signed out of this site only" in browser.driver.find_element(By.TAG_NAME, "main").text
    # And what it says of the device is so.
    browser.driver.find_element(By.LINK_TEXT, "To the menu").click()
    browser.greets(name)


def test_whoever_cancels_at_the_provider_is_not_told_of_signing_out(demo: Demo) -> None:
    begun = run("curl", "--silent", "--include", f"{demo.site}/").stdout
    [trip] = re.findall(r"^set-cookie: (burgers-trip=\w+)", begun, re.MULTILINE | re.IGNORECASE)
    [state] = re.findall(r"[?&]state=([^&\s]+)", begun)
    page = run("curl", "--silent", "--cookie", trip, f"{demo.site}/signed-in?error=access_denied&state={state}").stdout
    assert "<h1>You did not sign in</h1>" in page


def test_the_demo_s_device_is_paired_with_two_commands(demo: Demo) -> None:
    assert demo.order("sign-out").returncode == 0
    pages = demo.pages_shown()

    def device(*words: str) -> dict[str, Any]:
        return json.loads(run(LANYARD, "device", *words, "--data", demo.folder / "server", "--json").stdout)

    assert demo.program
    said = demo.program.log_text
    assert f"lanyard device code --user {demo.user_name} --data {demo.folder}/server\n" in said
    assert f"{demo.folder}/lanyard-sso pair\n" in said
    code = device("code", "--user", demo.user_name)["code"]
    paired = run(demo.folder / "lanyard-sso", "pair", code)
    assert paired.returncode == 0, paired.stderr
    try:
        burger = demo.order("burger")
        assert burger.returncode == 0 and "Nobody was asked" in burger.stderr, burger
        assert demo.pages_shown() == pages
    finally:
        [listed] = device("list")["devices"]
        device("remove", listed["id"])
        assert demo.order("sign-out").returncode == 0


def test_what_the_demo_says_can_be_done_and_comes_true(demo: Demo, tmp_path: Path) -> None:
    def start_again() -> str:
        demo.stop()
        assert demo.start().program
        return demo.program.log_text

    def lanyard_sso(*words: str) -> subprocess.CompletedProcess[str]:
        # In another folder, and with nothing of the broker's in the environment.
        return subprocess.run(
            [demo.folder / "lanyard-sso", *words], cwd=tmp_path, env={"PATH": os.environ["PATH"]}, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=60)

    assert demo.order("sign-out").returncode == 0
    said = start_again()
    assert "still signed in" not in said and f"{demo.folder}/lanyard-sso log" in said
    # There is no browser that knows the device: nobody is sent to another one.
    assert "No browser has been opened" in said and "Load http" not in said
    programs = set(re.findall(rf"{re.escape(str(demo.folder))}/(?:lanyard-sso|lanyard|browser|burgers-and-tacos)\b", said))
    assert len(programs) == 4 and all(os.access(program, os.X_OK) for program in programs)
    assert lanyard_sso("log").returncode == 0
    sign_in_anew(demo)
    said = start_again()
    assert f"{demo.facts['account']['name']} is still signed in on the device" in said
    assert f"{demo.facts['client']} sign-out" in said


def test_the_command_line_comes_to_the_page_too_with_the_site_s_cookies(demo: Demo) -> None:
    sign_in_anew(demo)

    def sso(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [LANYARD_SSO, *words], env=os.environ | {"LANYARD_SSO_SOCKET": demo.facts["socket"]},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)

    page = sso("curl", "--", "-s", f"{demo.site}/")
    assert page.returncode == 0 and f">{demo.facts['account']['name']}<" in page.stdout, page.stderr
    cookies = sso("cookies", f"{demo.site}/")
    assert cookies.returncode == 0 and cookies.stdout.startswith("burgers="), cookies.stderr
    # The provider's own are the extension's: of all that the way led through, the site alone has set any.
    passed = json.loads(sso("cookies", f"{demo.site}/", "--netscape", "--json").stdout)
    assert {cookie["name"].partition("-")[0] for cookie in passed} == {"burgers"}
    none = sso("cookies", f"{demo.site}/welcome")
    assert (none.returncode, none.stdout) == (1, "") and "No cookie" in none.stderr


def test_what_was_signed_in_lasts_over_a_new_start_of_everything(
    tmp_path: Path, demo: Demo, browser: Browser
) -> None:
    sign_in_anew(demo)
    demo.stop()
    demo.start()
    again = demo.order("tacos", "--out", tmp_path / "tacos.svg")
    assert again.returncode == 0, again.stderr
    assert "Nobody was asked" in again.stderr
    assert (tmp_path / "tacos.svg").read_text().startswith("<svg ")


def test_the_native_program_finds_its_provider_in_the_organization_s_file(
    demo: Demo, tmp_path: Path
) -> None:
    missing = demo.order("burger", "--configuration", tmp_path / "none.json")
    assert missing.returncode == 64 and "--configuration" in missing.stderr
    (tmp_path / "bad.json").write_text("{}")
    assert demo.order("burger", "--configuration", tmp_path / "bad.json").returncode == 64
    uncovered = json.loads((demo.folder / "burgers-and-tacos.json").read_text())
    uncovered["identityProvider"] = "https://elsewhere.example/oidc/authorize"
    (tmp_path / "uncovered.json").write_text(json.dumps(uncovered))
    refused = demo.order("burger", "--configuration", tmp_path / "uncovered.json")
    assert refused.returncode == 64 and "no single sign-on for https://elsewhere.example" in refused.stderr


def test_without_anybody_to_ask_the_native_program_says_so(tmp_path: Path) -> None:
    demo = Demo(tmp_path / "demo").start(has_desktop=False)
    try:
        refused = demo.order("burger")
    finally:
        demo.stop()
    assert refused.returncode == 1 and "There is no desktop to show a page on" in refused.stderr, refused.stderr


def test_without_a_terminal_a_page_in_the_desktop_s_browser_asks(
    demo: Demo, browser: Browser, nobody: None
) -> None:
    order = subprocess.Popen(
        [demo.facts["client"], "tacos"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=True)
    try:
        [page] = wait_until(demo.pages_shown, 30, "a page asks")
        browser.open(page)
        # A slow browser gives the form's first field the focus only some time after the page has loaded.
        focus = browser.driver.switch_to
        browser.wait(lambda: focus.active_element.tag_name == "input", "the first field has the focus")
        focus.active_element.send_keys(demo.user_name)
        browser.fill("password", demo.password)
        browser.press("Sign in")
        picture, said = order.communicate(timeout=30)
    finally:
        order.kill()
        order.communicate()
    assert order.returncode == 0 and is_taco(picture) and "You signed in." in said, said
    # The program can end before the browser has shown what the form led to, which would then come in place of the site.
    browser.wait(lambda: "/continue/" not in browser.driver.current_url, "the browser has left the form")
    browser.is_greeted_at_the_site(demo.facts["account"]["name"])


def test_the_pictures_are_for_those_who_have_signed_in(demo: Demo) -> None:
    for headers in [
        (), ("-H", "Cookie: burgers=0"), ("-H", "Authorization: Bearer x"), ("-H", "X-Identity-Token: a.b.c"),
        ("-H", "Authorization: Bearer x", "-H", "X-Identity-Token: a.e30.c"),
        ("-H", "Authorization: Bearer", "-H", "X-Identity-Token: "),
    ]:
        answer = run("curl", "--silent", "--include", *headers, f"{demo.site}/burger")
        assert answer.stdout.startswith("HTTP/1.1 401"), answer.stdout
        assert "www-authenticate: bearer" in answer.stdout.lower() and "<svg" not in answer.stdout
        is_alone = "Authorization" in str(headers) and "X-Identity-Token: a" not in str(headers)
        assert ("Send the identity token too" in answer.stdout) == is_alone


def test_a_token_that_was_made_for_another_app_opens_nothing(demo: Demo) -> None:
    """Whoever has an app at the same provider gets tokens of the same people."""
    data = ("--data", demo.folder / "server")
    for arguments in [
        ("team", "create", "Nosy Ltd."),
        ("create", "Nosy", "--team", "Nosy Ltd.", "--client-id", "com.example.nosy", "--scope", "name", "--return-url",
         "https://nosy.example/native"),
        ("client", "com.example.nosy", "--public"),
    ]:
        done = run(LANYARD, "app", *arguments, *data)
        assert done.returncode == 0, done.stderr
    sign_in_anew(demo)

    def tokens(client_id: str, return_url: str) -> tuple[str, ...]:
        answer = json.loads(demo.ask_broker({
            "url": f"{demo.facts['server']}/oidc/authorize", "operation": "login", "presentation": "tab",
            "scopes": ["openid", "profile"],
            "options": [["client_id", client_id], ["redirect_uri", return_url], ["prompt", "consent"]]}))
        assert answer["outcome"] == "response", answer
        body = json.loads(base64.b64decode(answer["response"]["body"]))
        return (
            "-H", f"Authorization: Bearer {body['access_token']}", "-H", f"X-Identity-Token: {body['id_token']}")

    def status(*headers: str) -> str:
        return run("curl", "--silent", "--include", *headers, f"{demo.site}/burger").stdout.split()[1]

    nosy = tokens("com.example.nosy", "https://nosy.example/native")
    own = tokens("com.example.burgers.native", "https://burgers.example/native")
    assert status(*own) == "200"
    assert status(*nosy) == "401"
    # Nor does another app's access token beside an identity token of ours.
    assert status(*nosy[:2], *own[2:]) == "401"


def test_an_answer_that_this_browser_did_not_ask_for_signs_nobody_in(demo: Demo) -> None:
    answer = run("curl", "--silent", "--include", f"{demo.site}/signed-in?code=x&state=y")
    assert answer.stdout.startswith("HTTP/1.1 400") and "burgers=" not in answer.stdout


def test_nothing_secret_is_in_the_logs(demo: Demo) -> None:
    sign_in_anew(demo)
    answer = json.loads(demo.ask_broker({
        "url": f"{demo.facts['server']}/oidc/authorize", "operation": "refresh", "presentation": "none",
        "scopes": ["openid", "profile"], "options": [
            ["client_id", "com.example.burgers.native"], ["redirect_uri", "https://burgers.example/native"]]}))
    tokens = json.loads(base64.b64decode(answer["response"]["body"]))
    secrets = [demo.password, tokens["access_token"], tokens["id_token"], "code="]
    logs = {log.name: log.read_text() for log in [*demo.folder.glob("*.log"), *(demo.folder / "device").glob("*.log")]}
    assert logs.keys() == {"demo.log", "site.log", "broker.log"}
    # The demo itself tells who is at the device what to type.
    assert demo.password in logs["demo.log"]
    logs["demo.log"] = logs["demo.log"].replace(demo.password, "")
    logs["of requests"] = json.dumps(demo.log())
    assert '"reason": "answered"' in logs["of requests"]
    for name, log in logs.items():
        assert not [secret for secret in secrets if secret in log], name


def test_secrets_in_the_folder_are_for_the_owner_alone(demo: Demo) -> None:
    sign_in_anew(demo)
    for name in ("server/master.key", "tls/authority.key", "tls/server.key"):
        assert (demo.folder / name).is_file(), name
    saved = [path for path in demo.folder.rglob("*") if path.is_file() and "extensions" in path.parts]
    assert {"cookies", "key", "tokens"} <= {path.name for path in saved}, saved
    keys = [path for path in demo.folder.rglob("*") if path.suffix in (".key", ".pem") and b"PRIVATE" in path.read_bytes()]
    for path in [*keys, *saved, demo.folder / "server" / "master.key", demo.folder / "server" / "lanyard.sqlite"]:
        # By itself, or by a folder above it that is nobody else's.
        above = [folder for folder in path.parents if folder.is_relative_to(demo.folder)]
        assert any(stat.S_IMODE(place.stat().st_mode) & 0o077 == 0 for place in [path, *above]), path


def test_control_c_ends_everything_within_seconds(tmp_path: Path) -> None:
    demo = Demo(tmp_path / "sso").start()
    try:
        assert demo.program
        assert len(demo.program.session_members()) >= 3
        demo.program.press_control_c()
        assert demo.program.wait(timeout=15) == 0, demo.program.log_text
        assert demo.program.session_members() == []
        assert not Path(demo.facts["socket"]).exists()
    finally:
        demo.stop()


def test_a_second_demo_in_the_same_folder_changes_nothing(demo: Demo) -> None:
    before = (demo.folder / "demo.json").read_text()
    done = run(LANYARD, "sso", "demo", "--folder", demo.folder)
    assert done.returncode == 1 and "A demo is running in" in done.stderr
    assert (demo.folder / "demo.json").read_text() == before
