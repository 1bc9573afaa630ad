"""A bare Debian that is booted, with a person, and Debian's Chromium as that person starts it."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from booted import Machine
from processes import Program, free_port, run, wait_until
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By

# Where authorities are that count as public ones, so that the broker believes what the server says of itself.
PUBLIC = "/usr/share/ca-certificates/mozilla/Trial.crt"


class Laptop(Machine):
    person = "burger"

    def trust(self, authority: str) -> None:
        """As if the server's authority were a public one: by programs, by the broker and by the person's browser."""
        file = self.folder / "authority.crt"
        file.write_text(authority)
        self.do("install", "-D", "--mode=0644", file, PUBLIC)
        self.do("sh", "-c", "echo mozilla/Trial.crt >> /etc/ca-certificates.conf && update-ca-certificates")
        store = "sql:.pki/nssdb"
        done = run(*self._shell(
            f"mkdir -p .pki/nssdb && certutil -d {store} -N --empty-password && certutil -d {store} -A -t C,, -n trial -i {PUBLIC}"))
        assert done.returncode == 0, done.stdout + done.stderr

    def _shell(self, command: str) -> list[str]:
        """The person's, at home."""
        return self.as_user(self.person, "sh", "-c", f"cd && {command}")

    def wait_for_the_extension(self) -> None:
        """A policy installs it soon after the browser was started for the first time, and it learns what is covered."""
        rules = f"/home/{self.person}/.config/chromium/Default/DNR Extension Rules"
        wait_until(lambda: self.has(rules) and self.do("find", rules, "-name", "rules.json"), 60, "the extension is installed")

    @contextmanager
    def browser(self) -> Iterator["Browser"]:
        """Started anew, with the person's profile. WebDriver may look at the pages of an extension that a policy has installed."""
        policy = '{"DeveloperToolsAvailability": 1}'
        self.do("sh", "-c", f"echo '{policy}' > /etc/chromium/policies/managed/test.json")
        port = free_port()
        program = Program(*self._shell(f"exec chromedriver --port={port}"), log=self.folder / "chromedriver.log")
        try:
            program.wait_until(lambda: "started successfully" in program.log_text, 30, "the driver listens")
            options = webdriver.ChromeOptions()
            profile = f"user-data-dir=/home/{self.person}/.config/chromium"
            for switch in ("headless=new", "lang=en-US", "disable-dev-shm-usage", "no-sandbox", profile):
                options.add_argument(f"--{switch}")
            # Otherwise no extension runs, and none is installed by a policy.
            options.add_experimental_option("excludeSwitches", ["disable-extensions", "disable-background-networking"])
            driver = webdriver.Remote(f"http://127.0.0.1:{port}", options=options)
            try:
                yield Browser(driver)
            finally:
                driver.quit()
        finally:
            program.stop()


class Browser:
    def __init__(self, driver: webdriver.Remote):
        self.driver = driver

    def open(self, url: str) -> None:
        """In a new tab, because the extension takes the place of a page before it comes."""
        self.driver.switch_to.new_window("tab")
        try:
            self.driver.get(url)
        except WebDriverException as error:
            assert "detached" in str(error.msg), error

    def forget_cookies(self) -> None:
        self.driver.execute("executeCdpCommand", {"cmd": "Network.clearBrowserCookies", "params": {}})

    @property
    def heading(self) -> str:
        try:
            return self.driver.find_element(By.TAG_NAME, "h1").text
        except WebDriverException:
            return ""

    def wait_for(self, heading: str) -> None:
        try:
            wait_until(lambda: self.heading == heading, 30, f"the heading {heading}")
        except TimeoutError:
            shown = self.driver.execute_script("return document.body ? document.body.innerText : ''")
            raise AssertionError(f"no heading “{heading}”, but {self.driver.current_url} shows:\n{shown}") from None

    def fill(self, selector: str, value: str) -> None:
        self.driver.find_element(By.CSS_SELECTOR, selector).send_keys(value)

    def press(self, label: str) -> None:
        [button] = [one for one in self.driver.find_elements(By.TAG_NAME, "button") if one.text == label]
        button.click()

    def press_until(self, label: str, heading: str) -> None:
        """As people do who are too quick: a card takes no press in the first half second in which it is seen."""
        def is_there() -> bool:
            if self.heading != heading:
                with suppress(ValueError, WebDriverException):
                    self.press(label)
            return self.heading == heading

        wait_until(is_there, 30, f"the heading {heading}", pause=1)


@contextmanager
def app_pages() -> Iterator[str]:
    """The pages to which apps have people sent back. Their address, to which the app's name is added."""
    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f"<h1>Welcome to {Path(self.path.partition('?')[0]).name}</h1>".encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
