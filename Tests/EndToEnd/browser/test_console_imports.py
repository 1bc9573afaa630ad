"""Imports in the console: files come in through the browser, their plan is looked at and approved, taken back and compared; what
is wrong with files is told; the ids of another information system are moved after a look at those in doubt."""

import csv
import io
import re
import shutil
import socket
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

import requests
from chromium import Chromium
from console import enter, heading, shoot, wait_for
from plain_browser import PlainBrowser
from visit import Visit, plain

FILES = ["locations.csv", "students.csv", "staff.csv", "courses.csv", "classes.csv", "rosters.csv"]


def district(visit: Visit, folder: Path) -> Path:
    """A copy of the files that the demo has imported."""
    shutil.copytree(visit.scene.folder / "district", folder)
    return folder


def rewrite(file: Path, change) -> None:
    with file.open(newline="") as opened:
        rows = list(csv.DictReader(opened, doublequote=False, escapechar="\\"))
        names = list(rows[0])
    with file.open("w", newline="") as opened:
        writer = csv.DictWriter(opened, names, lineterminator="\n", doublequote=False, escapechar="\\")
        writer.writeheader()
        writer.writerows(change(rows))


def rename_first(name: str):
    def change(rows: list[dict[str, str]]) -> list[dict[str, str]]:
        rows[0]["first_name"] = name
        return rows
    return change


def pack(folder: Path) -> Path:
    archive = folder.parent / f"{folder.name}.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        for name in FILES:
            opened.write(folder / name, name)
    return archive


def upload(browser: Chromium, base_url: str, *files: Path, page: str = "/manager/imports/upload",
           field: str = "files", button: str = "Upload and look") -> None:
    browser.open(f"{base_url}{page}")
    browser.driver.find_element("id", field).send_keys("\n".join(map(str, files)))
    browser.press(button)


def test_files_are_looked_at_approved_compared_and_taken_back(visit: Visit, tmp_path: Path) -> None:
    base_url = visit.scene.base_url
    browser = enter(visit, "administrator", "/manager/imports")
    shoot(browser, "imports")
    folder = district(visit, tmp_path / "changed")
    rewrite(folder / "students.csv", rename_first("Amaterasu"))
    upload(browser, base_url, pack(folder))
    wait_for(browser, "What this import would change")
    assert "Amaterasu" in browser.text
    shoot(browser, "import-plan")
    plan = browser.url
    browser.open(f"{base_url}/manager/imports")
    assert "waits for approval" in browser.text
    shoot(browser, "imports-held")
    browser.open(f"{plan}?effect=leaves")
    assert "Nobody." in browser.text
    browser.open(plan)
    browser.press("Apply this import")
    browser.wait(lambda _: heading(browser).startswith("Import "), "the import is applied")
    shoot(browser, "import")
    applied = browser.heading
    browser.press("Undo")
    assert browser.heading == "Taken back"
    browser.open(f"{base_url}/manager/imports")
    assert "Taken back" in browser.texts("tbody tr")[0]

    # Once more, from the six files themselves.
    upload(browser, base_url, *(folder / name for name in FILES))
    wait_for(browser, "What this import would change")
    browser.press("Apply this import")
    browser.wait(lambda _: heading(browser).startswith("Import ") and heading(browser) != applied, "it is applied again")
    browser.press("Compare")
    assert "beside" in browser.heading
    shoot(browser, "import-compare")
    browser.open(f"{base_url}/manager/imports")
    browser.leave(lambda: browser.driver.find_element("css selector", "tbody th a").click())
    browser.press("Take back")
    shoot(browser, "import-undo")
    browser.press("Take back")
    wait_for(browser, "Imports")
    assert "Taken back" in browser.texts("tbody tr")[0]


def test_files_with_errors_change_nothing_and_every_error_is_told(visit: Visit, tmp_path: Path) -> None:
    browser = enter(visit, "administrator", "/manager/imports")
    folder = district(visit, tmp_path / "wrong")

    def spoil(rows: list[dict[str, str]]) -> list[dict[str, str]]:
        rows[0]["location_id"] = "NOWHERE"
        rows[1]["email_address"] = "no address"
        return rows

    rewrite(folder / "students.csv", spoil)
    upload(browser, visit.scene.base_url, *(folder / name for name in FILES))
    wait_for(browser, "The files have errors")
    shoot(browser, "import-defects")
    assert "students.csv:2" in browser.text and "NOWHERE" in browser.text
    link = browser.driver.find_element("link text", "Download as CSV").get_attribute("href")
    cookies = {cookie["name"]: cookie["value"] for cookie in browser.driver.get_cookies()}
    answer = requests.get(link, cookies=cookies, timeout=30)
    assert answer.headers["Content-Disposition"].startswith("attachment")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert {(row["file"], row["line"], row["column"]) for row in rows} >= {
        ("students.csv", "2", "location_id")}
    assert all(row["remedy"] for row in rows)


def found(visit: Visit, text: str) -> list[str]:
    """The names of those whom a search for a name or an id finds."""
    visit.browser.open(f"{visit.scene.base_url}/manager/people?text={text}")
    return visit.browser.texts("tbody th bdi")


def test_an_import_that_takes_away_much_wants_the_name_typed(visit: Visit, tmp_path: Path) -> None:
    browser = enter(visit, "administrator", "/manager/imports")
    folder = district(visit, tmp_path / "few")

    def halve(rows: list[dict[str, str]]) -> list[dict[str, str]]:
        return rows[: len(rows) // 2]

    def pass_on(rows: list[dict[str, str]]) -> list[dict[str, str]]:
        """Gives the last id to a pupil with whom nothing else agrees."""
        other = {"first_name": "Ottoline", "last_name": "Brightwater"}
        return [*rows[:-1], rows[-1] | other | dict.fromkeys(("person_number", "email_address", "sis_username"), "")]

    def approve(name: str, *, has_looked: bool) -> None:
        browser.fill("name", name)
        box = browser.driver.find_element("css selector", "input[name=identities]")
        if box.is_selected() != has_looked:
            box.click()
        browser.press("Apply this import")

    rewrite(folder / "rosters.csv", halve)
    rewrite(folder / "students.csv", pass_on)
    last = "S-001834"
    [former] = found(visit, last)
    upload(browser, visit.scene.base_url, pack(folder))
    wait_for(browser, "What this import would change")
    plan = browser.url
    assert "Why it waits" in browser.text
    assert any(former in row and "Ottoline Brightwater" in row and last in row for row in browser.texts("tbody tr"))
    shoot(browser, "import-plan-much")
    approve("Another District", has_looked=True)
    assert "is not" in browser.text and browser.heading == "What this import would change"
    # The name alone does not say that an account may pass to somebody else.
    approve(visit.scene.organization_name, has_looked=False)
    assert "Say first that the accounts pass" in browser.text and browser.heading == "What this import would change"
    assert found(visit, last) == [former]
    browser.open(plan)
    approve(visit.scene.organization_name, has_looked=True)
    browser.wait(lambda _: heading(browser).startswith("Import "), "the import is applied")
    applied = browser.url
    *_, memberships = browser.texts("tbody tr")
    assert re.fullmatch(r"Memberships of classes\s+6,245\s+0\s+0\s+0\s+6,245", memberships)
    assert found(visit, last) == ["Ottoline Brightwater"]
    browser.open(applied)
    browser.press("Undo")
    assert browser.heading == "Taken back"
    assert found(visit, last) == [former]


def test_an_import_that_waits_is_given_up_and_waits_anew_when_its_files_come_again(visit: Visit, tmp_path: Path) -> None:
    base_url = visit.scene.base_url
    browser = enter(visit, "administrator", "/manager/imports")
    folder = district(visit, tmp_path / "mistaken")
    rewrite(folder / "students.csv", rename_first("Susanoo"))
    archive = pack(folder)
    before = browser.texts("tbody tr")
    upload(browser, base_url, archive)
    wait_for(browser, "What this import would change")
    plan = browser.url
    browser.press("Discard this import")
    assert browser.heading == "Imports"
    assert "waits for approval" not in browser.text and browser.texts("tbody tr") == before
    browser.open(plan)
    assert browser.heading == "Not found"
    browser.open(f"{base_url}/manager/people?text=Susanoo")
    assert not browser.texts("tbody th")

    upload(browser, base_url, archive)
    wait_for(browser, "What this import would change")
    assert "Susanoo" in browser.text
    browser.press("Discard this import")
    assert browser.heading == "Imports"


def test_what_is_no_roster_is_refused_before_anything_is_done(visit: Visit, tmp_path: Path) -> None:
    browser = enter(visit, "administrator", "/manager/imports")
    stranger = tmp_path / "holiday.csv"
    stranger.write_text("a,b\n")
    upload(browser, visit.scene.base_url, stranger)
    assert "holiday.csv" in browser.text
    broken = tmp_path / "broken.zip"
    broken.write_bytes(b"PK\x03\x04" + bytes(300))
    upload(browser, visit.scene.base_url, broken)
    wait_for(browser, "The files have errors")


def test_an_archive_that_lies_about_its_sizes_is_refused(visit: Visit, tmp_path: Path) -> None:
    browser = enter(visit, "administrator", "/manager/imports")
    folder = district(visit, tmp_path / "lies")
    with (folder / "students.csv").open("a") as file:
        file.write("\n" * (300 << 20))
    archive = pack(folder)
    data = bytearray(archive.read_bytes())
    # The uncompressed sizes in the local and central headers say less than what comes out.
    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            data[info.header_offset + 22:info.header_offset + 26] = (100).to_bytes(4, "little")
    central = data.find(b"PK\x01\x02")
    while central >= 0:
        data[central + 24:central + 28] = (100).to_bytes(4, "little")
        central = data.find(b"PK\x01\x02", central + 4)
    archive.write_bytes(data)
    upload(browser, visit.scene.base_url, archive)
    wait_for(browser, "The files have errors")


def test_others_may_not_send_files(visit: Visit, tmp_path: Path) -> None:
    browser = enter(visit, "instructor")
    for path in ("", "/upload", "/1", "/ids", "/held", "/%00", "/9223372036854775808", "/1/compare?from=x"):
        browser.open(f"{visit.scene.base_url}/manager/imports{path}")
        assert browser.heading in ("You may not do this", "Not found", "There is no page here")
    browser.open(f"{visit.scene.base_url}/manager/imports/jobs/AAAA")
    assert browser.heading == "Not found"


def signed_in(visit: Visit, role: str) -> PlainBrowser:
    browser = PlainBrowser()
    account = visit.scene.account(role)
    page = browser.open(f"{visit.scene.base_url}/sign-in?continue=/manager")
    form = page.form("Sign in")
    browser.session.post(
        form.action, data=form.fields | {"username": account.username, "password": account.password}, timeout=30)
    return browser


def test_an_upload_is_bounded_and_may_stop_in_the_middle(visit: Visit, tmp_path: Path) -> None:
    base_url = visit.scene.base_url
    browser = signed_in(visit, "administrator")
    form = browser.open(f"{base_url}/manager/imports/upload").form("Upload and look")
    token = form.fields["csrf_token"]
    url = urlsplit(base_url)
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in browser.session.cookies)
    head = (
        f"POST /manager/imports/upload HTTP/1.1\r\nHost: {url.netloc}\r\nCookie: {cookies}\r\nAccept: text/html\r\n"
        "Content-Type: multipart/form-data; boundary=b\r\n")
    start = (
        f'--b\r\nContent-Disposition: form-data; name="csrf_token"\r\n\r\n{token}\r\n'
        '--b\r\nContent-Disposition: form-data; name="files"; filename="a.zip"\r\n\r\nPK')

    def imports() -> int:
        return browser.session.get(f"{base_url}/manager/imports", timeout=30).text.count("<tr>")

    before = imports()
    # 2 GB are refused by their announcement, before any of them is read.
    with socket.create_connection((url.hostname, url.port)) as connection:
        connection.sendall(f"{head}Content-Length: {2 << 30}\r\n\r\n{start}".encode())
        assert connection.recv(12) == b"HTTP/1.1 422"
    # An upload whose sender goes away in the middle leaves nothing, and the server goes on.
    with socket.create_connection((url.hostname, url.port)) as connection:
        connection.sendall(f"{head}Content-Length: 100000\r\n\r\n{start}".encode())
    # A body that ends before its form does.
    with socket.create_connection((url.hostname, url.port)) as connection:
        connection.sendall(f"{head}Content-Length: {len(start)}\r\nConnection: close\r\n\r\n{start}".encode())
        assert b"stops in the middle" in b"".join(iter(lambda: connection.recv(65536), b""))
    assert imports() == before

    # Without the token of the form, or with somebody else's, nothing is read.
    for fields in ({}, {"csrf_token": token[:-2] + "AA"}):
        answer = browser.session.post(
            f"{base_url}/manager/imports/upload", data=fields, files={"files": ("a.zip", b"PK")}, timeout=30)
        assert answer.status_code == 400
    teacher = signed_in(visit, "instructor")
    answer = teacher.session.post(
        f"{base_url}/manager/imports/upload", data={"csrf_token": token}, files={"files": ("a.zip", b"PK")},
        timeout=30)
    assert answer.status_code == 403
    answer = requests.post(
        f"{base_url}/manager/imports/upload", files={"files": ("a.zip", b"PK")}, timeout=30, allow_redirects=False)
    assert answer.status_code == 303 and "/sign-in" in answer.headers["Location"]


def test_ids_of_another_system_are_moved_after_a_look_at_those_in_doubt(visit: Visit, tmp_path: Path) -> None:
    base_url = visit.scene.base_url
    browser = enter(visit, "administrator", "/manager/imports/ids")
    shoot(browser, "ids")
    [decided], [left] = found(visit, "S-000001"), found(visit, "S-000002")
    folder = district(visit, tmp_path / "new-system")

    def number_anew(rows: list[dict[str, str]]) -> list[dict[str, str]]:
        """The first two could be others of the same names."""
        return [row | {"person_number": f"9{row['person_number']}"} for row in rows[:2]] + rows[2:]

    rewrite(folder / "students.csv", number_anew)
    for name in ("students.csv", "staff.csv"):
        rewrite(folder / name, lambda rows: [row | {"person_id": f"N-{row['person_id']}"} for row in rows])
    for name, columns in {"rosters.csv": ["student_id"], "classes.csv": ["instructor_id"]}.items():
        def change(rows: list[dict[str, str]], columns: list[str] = columns) -> list[dict[str, str]]:
            return [
                row | {column: f"N-{row[column]}" for column in row if column in columns and row[column]}
                for row in rows]
        rewrite(folder / name, change)
    upload(browser, base_url, pack(folder), page="/manager/imports/ids", button="Compare")
    wait_for(browser, "Who is who")
    shoot(browser, "ids-choice")
    sure, unsure, _ = (int(number.replace(",", "")) for number in browser.texts(".tiles b"))
    in_doubt = [f"Person: {name} ({number})" for name, number in ((decided, "S-000001"), (left, "S-000002"))]
    assert unsure == 2 and [plain(label) for label in browser.texts("main label")] == in_doubt
    # One is decided, and the other is left as it is.
    browser.driver.find_element("css selector", "select[name=new-0] option[value='N-S-000001']").click()
    browser.press("See what would move")
    assert browser.heading == "Move these ids"
    assert f"{sure + 1:,} records get other ids." in browser.text
    shoot(browser, "ids-confirm")
    browser.press("Move the ids")
    wait_for(browser, "Imports")
    assert "The change is in effect" in browser.text
    moved = browser.url
    assert found(visit, "N-S-000001") == [decided] and found(visit, "N-S-000003") and found(visit, "S-000002") == [left]
    assert not found(visit, "N-S-000002")
    browser.open(moved)
    browser.press("Undo")
    assert browser.heading == "Taken back"
    assert found(visit, "S-000001") == [decided] and not found(visit, "N-S-000001")


def test_a_map_that_names_nobody_moves_nothing(visit: Visit, tmp_path: Path) -> None:
    browser = enter(visit, "administrator", "/manager/imports/ids")
    map_file = tmp_path / "map.csv"
    map_file.write_text("type,old_id,new_id\nperson,NOBODY,7\n")
    upload(browser, visit.scene.base_url, map_file, page="/manager/imports/ids", field="map", button="Look it through")
    wait_for(browser, "This was not done")
    assert "NOBODY" in browser.text
    map_file.write_text("type,old_id\nperson,NOBODY\n")
    upload(browser, visit.scene.base_url, map_file, page="/manager/imports/ids", field="map", button="Look it through")
    assert "must name the columns" in browser.text
