"""Measures what pages cost the browser: the time of its main thread, by its own trace, on one processor."""

import json
import os
import statistics
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from selenium import webdriver

from console import PAGES, School, in_postgresql
from installation import Installation
from report import Report

# What a page has to stay under, in milliseconds.
BOUND = 100


def bench_pages(report: Report, folder: Path):
    """Main-thread time of a page with its style and script, in a browser that has just been started."""
    measure_pages(report, School(Installation(folder / "pages-in-browser"), 2_000, 20), "")
    if server := os.environ.get("LANYARD_TEST_POSTGRES"):
        here = in_postgresql(server, folder / "pages-in-browser-postgresql", "pages")
        measure_pages(report, School(here, 2_000, 20), " on PostgreSQL")
    else:
        print("      PostgreSQL is left out: LANYARD_TEST_POSTGRES names no server; scripts/with-postgres starts one", flush=True)


def measure_pages(report: Report, school: School, where: str):
    def measure(page: str, url: str, cookies: list):
        report.add(
            f"{page}{where} in a browser that has just been started, main thread",
            statistics.median(main_thread(url, cookies) for _ in range(3)), "ms", BOUND)

    measure("/sign-in", school.here.base + "/sign-in", [])
    for page in PAGES:
        if page.startswith("/manager/find"):
            continue  # It answers the search field with JSON.
        url, answer = school.open(page)
        assert page not in ("/manager/people", "/manager/activity") or answer.text.count("<tr") > 30, page
        measure(page, url, list(school.browser.cookies))
    school.here.stop()


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
