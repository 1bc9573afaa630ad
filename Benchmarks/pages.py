"""Measures what pages cost the browser: the time of its main thread, by its own trace, on one processor."""

import json
import os
import statistics
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from selenium import webdriver

from installation import Installation
from report import Report

# What a page has to stay under, in milliseconds.
BOUND = 100
PAGES = [
    "/sign-in", "/account", "/manager", "/manager/people", "/manager/people/{person}", "/manager/classes",
    "/manager/imports", "/manager/access/sign-in", "/manager/activity", "/manager/settings", "/developer",
]


def bench_pages(report: Report, folder: Path):
    """Main-thread time of a page with its style and script, in a browser that has just been started."""
    here = Installation(folder / "pages-in-browser")
    here.folder.mkdir()
    here.set_up()
    here.lanyard("import", str(here.sample("files", 2_000, 100, 20)))
    person = json.loads(here.lanyard("person", "list", "--role", "student", "--limit", "1", "--json"))["people"][0]["number"]
    # So that the trail has more than a page.
    here.lanyard("person", "passwords", "--role", "instructor", "--csv", str(folder / "passwords.csv"))
    here.serve()
    session = here.sign_in()
    for page in PAGES:
        url = here.base + page.replace("{person}", f"PE-{person}")
        answer = session.get(url)
        answer.raise_for_status()
        assert page not in ("/manager/people", "/manager/activity") or answer.text.count("<tr") > 30, page
        cookies = [] if page == "/sign-in" else list(session.cookies)
        report.add(
            f"{page} in a browser that has just been started, main thread",
            statistics.median(main_thread(url, cookies) for _ in range(3)), "ms", BOUND)
    here.stop()


def main_thread(url: str, cookies: list) -> float:
    """Milliseconds of CPU that the main thread of the page takes, from the request to a second after the page is complete."""
    with browser() as driver:
        parts = urlsplit(url)
        driver.get("about:blank")
        driver.execute_cdp_cmd("Network.enable", {})
        for cookie in cookies:
            driver.execute_cdp_cmd(
                "Network.setCookie", {"name": cookie.name, "value": cookie.value, "url": f"{parts.scheme}://{parts.netloc}/"})
        driver.get(url)
        driver.execute_async_script("setTimeout(arguments[0], 1000)")
        assert urlsplit(driver.current_url).path == parts.path, driver.current_url
        return tasks(driver.get_log("performance"), url)


def tasks(log: list[dict], url: str) -> float:
    """Adds up the tasks of the thread that has drawn the page. A browser that has just been started draws pages of its own too."""
    events = [
        message["params"] for line in log
        if (message := json.loads(line["message"])["message"])["method"] == "Tracing.dataCollected"
    ]
    [thread] = {
        (event["pid"], event["tid"]) for event in events
        if event["name"] == "ParseHTML" and event["args"].get("beginData", {}).get("url") == url
    }
    # Of the processor, so that it does not count when other threads of the browser have the only one. A task that is over at
    # once has none.
    spent = sum(
        event.get("tdur", 0) for event in events
        if event["name"] == "ThreadControllerImpl::RunTask" and (event["pid"], event["tid"]) == thread)
    return spent / 1_000


@contextmanager
def browser():
    """Debian's Chromium without a window, on one processor."""
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for switch in ("headless=new", "disable-background-networking", "disable-dev-shm-usage", "window-size=1280,900"):
        options.add_argument(f"--{switch}")
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # which Chromium needs as root
    options.set_capability("goog:loggingPrefs", {"performance": "ALL"})
    options.add_experimental_option(
        "perfLoggingPrefs", {"enableNetwork": False, "enablePage": False, "traceCategories": "toplevel,devtools.timeline"})
    all_processors = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(all_processors)})
    try:
        driver = webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver"))
    finally:
        os.sched_setaffinity(0, all_processors)
    try:
        yield driver
    finally:
        driver.quit()
