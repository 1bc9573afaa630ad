"""`lanyard demo` as a program: it finds its data again, and ends when it is told to."""

import shlex
import stat
import zipfile
from pathlib import Path

import pytest
from lanyard_tool import Tool
from plain_browser import PlainBrowser
from processes import LANYARD, Program, free_port, run
from scene import Scene
from stage import new_stage
from visit import Visit


def test_a_second_start_finds_everything_again_on_other_ports(connected_visit: Visit) -> None:
    visit, browser, scene = connected_visit, connected_visit.browser, connected_visit.scene
    before = (scene.base_url, scene.quizzler_url, scene.organization_id, scene.accounts)
    classes = len(scene.district().classes)

    scene.stop()
    scene.start()

    assert scene.base_url != before[0]
    assert scene.quizzler_url != before[1]
    assert (scene.organization_id, scene.accounts) == before[2:]
    visit.continue_with_lanyard(scene.account("administrator"))
    browser.press(scene.organization_name)
    assert f"{classes} classes" in browser.text

    # The refresh token from the first run still works: a sync gets a new access token with it, and reads everything.
    browser.press("Sync now")
    visit.wait_for_classes()
    assert "Nothing has changed since the one before." in browser.text

    # And so does connecting, with the return address of the new port.
    browser.open(f"{scene.quizzler_url}/connect")
    browser.press("Allow")
    assert browser.url.startswith(scene.quizzler_url)
    assert browser.heading == scene.organization_name


def test_control_c_ends_server_and_app_within_seconds(new_scene: Scene) -> None:
    program = new_scene.program
    assert program is not None
    assert len(program.session_members()) == 2
    program.press_control_c()
    assert program.wait(timeout=10) == 0
    assert program.session_members() == []


def test_a_plain_kill_of_the_demo_ends_the_app_too(new_scene: Scene) -> None:
    program = new_scene.program
    assert program is not None
    program.terminate()
    assert program.wait(timeout=10) == 0
    assert program.session_members() == []


def test_what_the_demo_says_is_short_and_can_be_typed(own_scene: Scene) -> None:
    assert own_scene.program
    said = own_scene.program.log_text
    command = f"{own_scene.folder}/lanyard"
    lines = [line.strip() for line in said.splitlines() if line.strip().startswith(command)]
    assert len(lines) == 3, said
    assert run(*shlex.split(lines[0])).returncode == 0
    assert own_scene.own_school_link and own_scene.own_school_roster
    assert own_scene.own_school_link in said and own_scene.own_school_roster in said


def test_the_link_to_the_own_school_is_another_one_at_each_start_until_somebody_takes_it(own_scene: Scene) -> None:
    assert own_scene.own_school_link and own_scene.own_school_roster
    secret = own_scene.own_school_link.rpartition("/")[2]
    with zipfile.ZipFile(own_scene.own_school_roster) as archive:
        assert sorted(archive.namelist()) == [
            "classes.csv", "courses.csv", "locations.csv", "rosters.csv", "staff.csv", "students.csv"]
    Path(own_scene.own_school_roster).write_bytes(b"another file")
    own_scene.stop()
    own_scene.start()
    # What somebody has put in its place stays.
    assert Path(own_scene.own_school_roster).read_bytes() == b"another file"
    browser, link = PlainBrowser(), own_scene.own_school_link
    assert link and browser.open(f"{own_scene.base_url}/invitation/{secret}").heading == "This link no longer works"
    form = browser.open(link).form("Create account")
    newcomer = {"given_name": "Mira", "family_name": "Eichler", "username": "mira@oak.example", "password": "seven herons 1"}
    answer = browser.session.post(form.action, data=form.fields | newcomer, timeout=30)
    assert answer.status_code == 200 and answer.url.endswith("/account/next-steps")
    own_scene.stop()
    own_scene.start()
    assert own_scene.own_school_link is None
    assert own_scene.program and "Sign in with the account that you have made" in own_scene.program.log_text
    organizations = Tool(own_scene.folder).json("org", "list")["organizations"]
    assert sorted(one["name"] for one in organizations) == ["Maple District", "Oak Academy"]


def test_the_demo_names_its_accounts_before_the_step_that_needs_them(new_scene: Scene) -> None:
    assert new_scene.program
    lines = new_scene.program.log_text.splitlines()
    step = next(number for number, line in enumerate(lines) if "2. Sign in as the administrator" in line)
    for account in new_scene.accounts:
        assert any(account.username in line and account.password in line for line in lines[:step]), account
    header = next(number for number, line in enumerate(lines) if line.split()[:2] == ["ROLE", "ACCOUNT"])
    opened = next(number for number, line in enumerate(lines) if line.endswith(" is open."))
    assert header - opened <= 6


def test_a_demo_in_a_folder_with_another_lanyard_leaves_that_alone(tmp_path: Path) -> None:
    """Such as the program itself, of whoever has unpacked it there and names the folder “.”."""
    program = tmp_path / "lanyard"
    program.write_bytes(b"\x7fELF something else")
    done = run(LANYARD, "demo", "--folder", tmp_path)
    assert done.returncode == 1 and f"{program} is something else" in done.stderr
    assert program.read_bytes() == b"\x7fELF something else"


def test_ports_in_use_are_replaced_by_free_ones(
    scene: Scene, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    other = new_stage(tmp_path_factory.getbasetemp()).copy(tmp_path / "other")
    other.file.unlink()
    taken, quizzler_taken = (url.rpartition(":")[2] for url in (scene.base_url, scene.quizzler_url))
    other.program = Program(
        LANYARD, "demo", "--folder", other.folder, "--port", taken, "--quizzler-port", quizzler_taken,
        log=other.folder / "demo.log")
    try:
        other.program.wait_until(other.file.exists, 60, "the second demo is ready")
        second = Scene(other.folder)
        assert second.base_url != scene.base_url
        assert second.quizzler_url != scene.quizzler_url
    finally:
        other.stop()


def test_a_missing_quizzler_is_named_and_nothing_is_made(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    program = Program(
        LANYARD, "demo", "--folder", folder, "--quizzler", tmp_path / "no-such-program", "--port", free_port(),
        log=tmp_path / "log")
    try:
        assert program.wait(timeout=30) == 1
        assert "no-such-program" in program.log_text
        assert not folder.exists()
    finally:
        program.stop()


def test_secrets_in_the_folder_are_for_the_owner_alone(connected_scene: Scene) -> None:
    for name in ("master.key", "quizzler-key.p8", "quizzler/quizzler.json", "quizzler/session.secret"):
        mode = stat.S_IMODE((connected_scene.folder / name).stat().st_mode)
        assert mode & 0o077 == 0, name


def test_a_second_demo_in_the_same_folder_takes_nothing_away_from_the_first(new_scene: Scene) -> None:
    file = new_scene.folder / "demo.json"
    before = file.read_text()
    done = run(LANYARD, "demo", "--folder", new_scene.folder)
    assert done.returncode == 1
    assert "A demo is running in" in done.stderr and "--folder" in done.stderr
    assert file.read_text() == before
