"""A server and a laptop whose systemd runs: what units, timers and maintainer scripts do there.

`make test-packages` makes the bare Debian that is booted, with programs for release.
"""

import json
import re
import shutil
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
import requests
from answers import write_answers
from booted import Machine, why_not
from laptop import Laptop, app_pages
from name_server import NameServer
from plain_browser import PlainBrowser
from processes import ROOT, Program, free_port, listens, run, wait_until

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not() or "")


@pytest.fixture
def machine(tmp_path: Path, name_server: NameServer) -> Iterator[Machine]:
    machine = Machine(tmp_path)
    machine.environment["LANYARD_NAME_SERVERS"] = name_server.address
    yield machine
    machine.stop()


class Server:
    """The unit of the package, at a free port."""

    unit = "lanyard.service"

    def __init__(self, machine: Machine):
        self.machine = machine
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"

    def set_up(self, **further: str) -> str:
        """With further answers, if there are any. Returns the one-time link of the administrator."""
        self.machine.do("sh", "-c", f"echo LANYARD_PORT={self.port} > /etc/lanyard/environment")
        said = self.machine.do("lanyardctl", "setup", "--from", write_answers(self.machine, self.address, **further))
        [link] = re.findall(rf"{self.address}/invitation/\S+", said)
        return link

    @property
    def process(self) -> int:
        return int(self.machine.property(self.unit, "MainPID"))

    def is_well(self) -> bool:
        return self.machine.is_active(self.unit) and run("curl", "--fail", "--silent", f"{self.address}/readyz").returncode == 0

    def is_another_than(self, process: int) -> bool:
        return self.process not in (0, process) and self.is_well()


@contextmanager
def asked_all_the_time(server: Server) -> Iterator[list[int | str]]:
    """The server is asked again and again while the block runs, each time on a new connection. The statuses of its answers, or what
    went wrong."""
    answers: list[int | str] = []
    is_over = threading.Event()

    def ask() -> None:
        while not is_over.is_set():
            try:
                answers.append(requests.get(f"{server.address}/healthz", timeout=60).status_code)
            except requests.RequestException as error:
                answers.append(str(error))

    askers = [threading.Thread(target=ask) for _ in range(4)]
    for asker in askers:
        asker.start()
    try:
        yield answers
    finally:
        is_over.set()
        for asker in askers:
            asker.join()


def test_a_server_comes_back_after_whatever_happens_and_an_upgrade_starts_it_anew(
    machine: Machine, lanyard: Path, older_lanyard: Path
) -> None:
    def cut_power() -> None:
        machine.cut_power()
        machine.switch_on()

    before_all = machine.files()
    machine.install(older_lanyard)
    server = Server(machine)
    assert not machine.is_active(server.unit)
    assert machine.is_active("lanyard-backup.timer") and machine.is_active("lanyard-doctor.timer")
    link = server.set_up()
    machine.do("systemctl", "enable", "--now", "lanyard")
    # The unit says that it has started when the server is ready.
    assert server.is_well()
    sign_in = make_account(link)
    assert is_signed_in(server, sign_in)

    # It dies, and it hangs.
    before = server.process
    machine.do("kill", "-KILL", str(before))
    wait_until(lambda: server.is_another_than(before), 20, "the server is started again")
    machine.do("sh", "-c", "mkdir -p /run/systemd/system/lanyard.service.d && printf '[Service]\\nWatchdogSec=4\\n' "
               "> /run/systemd/system/lanyard.service.d/soon.conf && systemctl daemon-reload && systemctl restart lanyard")
    before = server.process
    machine.do("kill", "-STOP", str(before))
    wait_until(lambda: server.is_another_than(before), 30, "systemd notices that the server hangs")
    machine.do("sh", "-c", "rm -r /run/systemd/system/lanyard.service.d && systemctl daemon-reload && systemctl restart lanyard")

    before = server.process
    with asked_all_the_time(server) as answers:
        machine.do("systemctl", "restart", "lanyard")
        machine.install(lanyard)
    assert server.is_another_than(before)
    assert len(answers) > 20 and set(answers) == {200}, "no request is refused or lost"
    assert machine.do("readlink", f"/proc/{server.process}/exe").strip() == "/usr/bin/lanyard", "no deleted file"
    assert is_signed_in(server, sign_in)

    for ending, what in ((machine.reboot, "a reboot"), (cut_power, "a power cut")):
        people = machine.do("lanyardctl", "person", "list", "--json")
        assert sign_in["username"] in people
        ending()
        wait_until(server.is_well, 30, f"the server is there after {what}")
        assert machine.do("lanyardctl", "person", "list", "--json") == people and is_signed_in(server, sign_in)

    # What timers start at night.
    machine.do("systemctl", "start", "lanyard-backup.service")
    assert machine.property("lanyard-backup.service", "Result") == "success"
    [copy] = machine.do("find", "/var/lib/lanyard-backup", "-name", "*.sqlite").split()
    assert machine.stat(copy) == "600 lanyard lanyard"
    machine.do("sh", "-c", "systemctl start lanyard-doctor.service || true")
    said = machine.do("journalctl", "--unit", "lanyard-doctor", "--output", "cat")
    assert "backup" in said and "newest copy" in said

    # The key apart from the data, by the lines of the file itself.
    lines = [line[4:] for line in (ROOT / "packaging" / "systemd" / "master-key.conf").read_text().splitlines() if line.startswith("#   ")]
    machine.do("sh", "-euxc", "\n".join(lines))
    assert server.is_well() and not machine.has("/var/lib/lanyard/master.key") and is_signed_in(server, sign_in)
    machine.do("systemctl", "start", "lanyard-backup.service")
    assert machine.property("lanyard-backup.service", "Result") == "success"

    machine.do("apt-get", "remove", "--yes", "lanyard")
    assert machine.processes("lanyard") == [] and run("curl", "--silent", server.address).returncode != 0
    assert machine.has("/var/lib/lanyard/lanyard.sqlite") and not machine.is_active("lanyard-backup.timer")
    machine.install(lanyard)
    machine.do("systemctl", "start", "lanyard")
    assert is_signed_in(server, sign_in)

    machine.do("sh", "-c", "echo lanyard lanyard/purge-data boolean true | debconf-set-selections")
    machine.do("apt-get", "purge", "--yes", "lanyard")
    assert machine.processes("lanyard") == []
    # Only what the administrator has put there stays.
    folders = {f"/etc/systemd/system/{unit}.service.d" for unit in ("lanyard", "lanyard-")}
    assert machine.files() - before_all == folders | {f"{folder}/master-key.conf" for folder in folders}


def make_account(link: str) -> dict[str, str]:
    """An administrator's, by the one-time link. Returns what they type to sign in."""
    browser = PlainBrowser()
    form = browser.open(link).form("Create account")
    sign_in = {"username": "mira@maple.example", "password": "seven herons 1"}
    answer = browser.session.post(
        form.action, data=form.fields | {"given_name": "Mira", "family_name": "Eichler"} | sign_in, timeout=30)
    assert answer.status_code == 200, answer.text
    return sign_in


def is_signed_in(server: Server, account: dict[str, str]) -> bool:
    browser = PlainBrowser()
    form = browser.open(f"{server.address}/sign-in").form("Sign in")
    answer = browser.session.post(form.action, data=form.fields | account, timeout=30)
    return answer.status_code == 200 and "/sign-in" not in answer.url


def test_a_stop_finishes_what_is_being_answered(machine: Machine, lanyard: Path) -> None:
    machine.install(lanyard)
    server = Server(machine)
    server.set_up()
    machine.do("systemctl", "start", "lanyard")
    browser = PlainBrowser()
    form = browser.open(f"{server.address}/sign-in").form("Sign in")
    body = urlencode(form.fields | {"username": "nobody@maple.example", "password": "seven herons 1"})
    connection = HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.putrequest("POST", urlsplit(form.action).path)
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in browser.session.cookies)
    for name, value in {
        "Content-Type": "application/x-www-form-urlencoded", "Content-Length": str(len(body)), "Cookie": cookies,
        "Origin": server.address,
    }.items():
        connection.putheader(name, value)
    connection.endheaders(body[:10].encode())
    wait_until(lambda: is_known(server, connection), 10, "the server has the beginning of the request")

    stop = Program(*machine.enter("systemctl", "stop", "lanyard"), log=machine.folder / "stop.log")
    # systemd holds the socket until the server has ended, so connections are made, and nobody answers.
    wait_until(lambda: not is_answered(server), 10, "the server takes no further connection")
    assert stop.is_running
    connection.send(body[10:].encode())
    answer = connection.getresponse()
    # The form again, with what was wrong.
    assert answer.status == 422 and b"</html>" in answer.read()
    assert stop.wait(timeout=20) == 0 and machine.property(server.unit, "Result") == "success"
    assert not listens(server.port)


def is_answered(server: Server) -> bool:
    try:
        return requests.get(f"{server.address}/healthz", timeout=1).ok
    except requests.RequestException:
        return False


def is_known(server: Server, connection: HTTPConnection) -> bool:
    """Whether what was sent has been read: nothing waits in the socket of the server."""
    here = connection.sock.getsockname()[1]
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    waiting = [line[4].partition(":")[2] for line in lines
               if int(line[1].rpartition(":")[2], 16) == server.port and int(line[2].rpartition(":")[2], 16) == here]
    return waiting == ["00000000"]


def test_a_server_has_copies_of_postgresql_and_outlasts_it(machine: Machine, lanyard: Path) -> None:
    machine.install(lanyard)
    # Before anything is set up nothing is to be copied or examined, and nothing fails at night.
    nightly = ("lanyard-backup.service", "lanyard-doctor.service")
    for unit in nightly:
        machine.do("systemctl", "start", unit)
        assert machine.property(unit, "ConditionResult") == "no"

    machine.do("apt-get", "update")
    machine.do("apt-get", "install", "--yes", "--no-install-recommends", "postgresql")
    version, name, port, *_ = machine.do("pg_lsclusters", "--no-header").split()
    database = f"postgresql@{version}-{name}.service"
    machine.do("runuser", "-u", "postgres", "--", "psql", "--port", port, "--command", "CREATE ROLE lanyard LOGIN PASSWORD 'geheim'")
    machine.do("runuser", "-u", "postgres", "--", "createdb", "--port", port, "--owner", "lanyard", "lanyard")
    server = Server(machine)
    server.set_up(database=f"postgres://lanyard:geheim@127.0.0.1:{port}/lanyard")
    # A place that a setting names, and no unit.
    machine.do("sh", "-euc", "install -d -o lanyard -m 0700 /srv/lanyard && mv /var/lib/lanyard/master.key /srv/lanyard/ "
               "&& echo LANYARD_MASTER_KEY=/srv/lanyard/master.key >> /etc/lanyard/environment")
    machine.do("systemctl", "enable", "--now", "lanyard")
    assert server.is_well()
    machine.do("systemctl", "start", "lanyard-backup.service")
    assert machine.property("lanyard-backup.service", "Result") == "success"
    [copy] = machine.do("find", "/var/lib/lanyard-backup", "-name", "*.dump").split()
    assert machine.stat(copy) == "600 lanyard lanyard"
    machine.do("sh", "-c", "systemctl start lanyard-doctor.service || true")
    assert "newest copy" in machine.do("journalctl", "--unit", "lanyard-doctor", "--output", "cat")
    # An upgrade tells nobody the first steps, wherever the key is.
    assert "lanyardctl setup" not in machine.install(lanyard)

    # As after a power cut, when the machine of the database needs longer: for more starts than the five after which systemd would give up.
    assert machine.property(server.unit, "StartLimitIntervalUSec") == "0"
    machine.do("systemctl", "stop", database)
    machine.do("kill", "-KILL", str(server.process))
    wait_until(lambda: int(machine.property(server.unit, "NRestarts")) > 5, 60, "the server is started a sixth time")
    assert machine.property(server.unit, "ActiveState") == "activating"
    machine.do("systemctl", "start", database)
    wait_until(server.is_well, 30, "the server is there after its database")


def test_a_server_moves_to_another_machine_as_the_page_says(
    machine: Machine, name_server: NameServer, tmp_path_factory: pytest.TempPathFactory, lanyard: Path
) -> None:
    leave, arrive = blocks("moving.md")
    machine.install(lanyard)
    server = Server(machine)
    link = server.set_up()
    machine.do("systemctl", "enable", "--now", "lanyard")
    sign_in = make_account(link)
    machine.do("sh", "-euc", leave)
    assert not machine.is_active(server.unit) and not machine.is_active("lanyard-backup.timer")
    taken = machine.folder / "taken.tar"
    machine.do("tar", "--create", "--directory=/", f"--file={taken}", "etc/lanyard", "var/lib/lanyard/master.key", "var/lib/lanyard-backup")
    [copy] = machine.do("find", "/var/lib/lanyard-backup", "-name", "*.sqlite").split()

    other = Machine(tmp_path_factory.mktemp("other"))
    try:
        other.environment |= machine.environment
        other.install(lanyard)
        # What is copied by root from elsewhere is root's.
        other.do("tar", "--extract", "--directory=/", "--no-same-owner", f"--file={shutil.copy(taken, other.folder)}")
        # There is one of the two files that the page names there.
        lines = arrive.replace(" /etc/lanyard/master.key ", " ").replace("/var/lib/lanyard-backup/lanyard-….sqlite", copy)
        assert copy in lines and "etc/lanyard/master.key" not in lines
        other.do("sh", "-euc", lines)
        server.machine = other
        assert server.is_well() and is_signed_in(server, sign_in)
        for name, is_as in (("environment", "600 root lanyard"), ("lanyard.json", "640 root lanyard"), ("smtp-password", "640 root lanyard")):
            assert other.stat(f"/etc/lanyard/{name}") == is_as
        assert other.do("find", "/var/lib/lanyard", "/var/lib/lanyard-backup", "-not", "-user", "lanyard") == ""
        other.do("systemctl", "start", "lanyard-backup.service")
        assert other.property("lanyard-backup.service", "Result") == "success"
    finally:
        other.stop()


def blocks(page: str) -> list[str]:
    """What is to be typed by a page of docs/operate."""
    text = (ROOT / "docs" / "operate" / page).read_text()
    return [textwrap.dedent(block) for block in re.findall(r"^ *```sh\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)]


def follow_the_trial(machine: Machine, lanyard: Path) -> str:
    """docs/operate/trial.md, letter by letter, but for how it ends. What was said."""
    shutil.copy(lanyard, machine.folder)
    return "\n".join(machine.do("sh", "-euc", f"cd {machine.folder}\n{block}") for block in blocks("trial.md")[:-1])


def invitation(said: str) -> str:
    [link] = re.findall(r"https://id\.maple\.example/invitation/\S+", said)
    return link


def test_the_trial_leads_from_a_bare_debian_to_a_school_behind_https_in_ten_minutes(machine: Machine, lanyard: Path) -> None:
    begun = time.monotonic()
    said = follow_the_trial(machine, lanyard)
    assert time.monotonic() - begun < 600, "the page says minutes"
    # By the authority that this machine has learned to trust, as a browser would.
    assert "Create account" in machine.do("curl", "--fail", "--silent", "--show-error", invitation(said))
    people = json.loads(machine.do("lanyardctl", "person", "list", "--json", "--limit", "1000"))["people"]
    assert len(people) == 600
    assert "certificate" in machine.do("sh", "-c", "lanyardctl doctor --network || true")

    # To begin anew in earnest: nobody is asked here, so the data stays.
    machine.do("sh", "-euc", f"cd {machine.folder}\n" + blocks("trial.md")[-1].replace("apt-get purge", "apt-get purge --yes"))
    assert "id.maple.example" not in machine.do("cat", "/etc/hosts") and not machine.has("/etc/lanyard")
    assert "localhost" in machine.do("cat", "/etc/hosts")
    assert machine.do("sh", "-c", "curl --silent https://id.maple.example --resolve id.maple.example:443:127.0.0.1 || echo $?").strip() == "60"


def test_a_bare_laptop_with_one_package_and_one_profile_asks_once_and_never_again(
    machine: Machine, tmp_path_factory: pytest.TempPathFactory, lanyard: Path, lanyard_sso: Path
) -> None:
    link = invitation(follow_the_trial(machine, lanyard))
    team = json.loads(machine.do("lanyardctl", "app", "team", "create", "Tools", "--json"))["id"]
    laptop = Laptop(tmp_path_factory.mktemp("laptop"))
    with app_pages() as pages:
        for app in ("Pens", "Paper"):
            machine.do(
                "lanyardctl", "app", "create", app, "--team", team, "--client-id", f"com.example.{app}", "--scope", "name",
                "--return-url", f"{pages}/{app}", "--development")
            machine.do("lanyardctl", "access", "allow", f"com.example.{app}")

        def sign_in(app: str) -> str:
            query = {"client_id": f"com.example.{app}", "redirect_uri": f"{pages}/{app}", "response_type": "code",
                     "scope": "openid", "state": "s"}
            return f"https://id.maple.example/oidc/authorize?{urlencode(query)}"

        try:
            # What every laptop of the school has: the server's name, and a browser.
            laptop.do("sh", "-c", "echo '127.0.0.1 id.maple.example' >> /etc/hosts && apt-get update")
            laptop.do("apt-get", "install", "--yes", "--no-install-recommends", "chromium", "chromium-driver", "libnss3-tools")
            # The lines of docs/devices.md.
            profile = laptop.folder / "maple.mobileconfig"
            profile.write_text(machine.do("lanyardctl", "device", "profile"))
            laptop.do("install", "-D", "-m", "0644", profile, "-t", "/etc/lanyard/sso.d")
            laptop.install(lanyard_sso)
            # From the next sign-in to the desktop on.
            laptop.add_person(laptop.person)
            laptop.trust(machine.do("cat", "/usr/local/share/ca-certificates/lanyard-trial.crt"))

            with laptop.browser() as browser:
                browser.open(link)
                account = {"given_name": "Mira", "family_name": "Eichler", "username": "mira@maple.example", "password": "seven herons 1"}
                for name, value in account.items():
                    browser.fill(f"[name={name}]", value)
                browser.press("Create account")
                browser.wait_for("Maple District is set up")
                laptop.wait_for_the_extension()
            with laptop.browser() as browser:
                browser.open(sign_in("Pens"))
                browser.wait_for("Sign in to Pens")
                browser.fill("input[type=text]", "mira@maple.example")
                browser.fill("input[type=password]", "seven herons 1")
                # Each app tells once what it gets.
                browser.press_until("Sign in", "Create your Pens account")
                browser.press_until("Continue", "Welcome to Pens")
                browser.open(sign_in("Paper"))
                browser.wait_for("Create your Paper account")
                browser.press_until("Continue", "Welcome to Paper")
            # From the first page of a browser that was started anew.
            with laptop.browser() as browser:
                browser.forget_cookies()
                for app in ("Pens", "Paper"):
                    browser.open(sign_in(app))
                    browser.wait_for(f"Welcome to {app}")
        finally:
            laptop.stop()


def what_browsers_are_told(machine: Machine) -> tuple[list[str], list[str], list[str]]:
    """The extension's ids in Chromium and Firefox, and the hosts that it may touch."""
    def read(file: str) -> dict:
        return json.loads(machine.do("cat", file))

    return (
        list(read("/etc/chromium/policies/managed/lanyard-sso.json")["ExtensionSettings"]),
        list(read("/etc/firefox/policies/policies.json")["policies"]["ExtensionSettings"]),
        read("/usr/share/lanyard/browser/chromium/manifest.json")["host_permissions"])


def test_two_people_of_a_laptop_have_brokers_that_an_upgrade_replaces_between_two_requests(
    machine: Machine, lanyard_sso: Path, older_lanyard_sso: Path
) -> None:
    machine.install(older_lanyard_sso)
    profile = machine.folder / "oak.mobileconfig"
    machine.do(
        "lanyard-sso", "profile", "build", "--identifier", "example.oak.sso", "--extension", "org.lanyard.openid.extension",
        "--team", "LANYARD", "--app", "org.lanyard.openid", "--url", "https://id.oak.example/oidc/", "--data",
        "issuer=https://id.oak.example", "--out", profile)
    machine.do("install", "-D", "-m", "0644", profile, "-t", "/etc/lanyard/sso.d")
    machine.do("lanyard-sso", "browser-policy", "--install")
    told = what_browsers_are_told(machine)
    assert all(told)
    for name in ("burger", "taco"):
        machine.add_person(name)
    assert machine.processes("lanyard-broker") == []

    def status(name: str) -> dict:
        done = run(*machine.as_user(name, "lanyard-sso", "status", "--json"))
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    first = {name: status(name)["processIdentifier"] for name in ("burger", "taco")}
    assert sorted(first.values()) == sorted(machine.processes("lanyard-broker")) and len(set(first.values())) == 2
    # Each has their own, which nobody else reaches.
    number = machine.do("id", "--user", "burger").strip()
    assert "Permission denied" in machine.do("runuser", "-u", "taco", "--", "ls", f"/run/user/{number}/lanyard", status=2)

    failures: list[str] = []
    answers: list[int] = []
    is_over = threading.Event()

    def keep_asking() -> None:
        while not is_over.is_set():
            try:
                answers.append(status("burger")["processIdentifier"])
            except AssertionError as error:
                failures.append(str(error))

    caller = threading.Thread(target=keep_asking)
    caller.start()
    try:
        machine.install(lanyard_sso)
        for name, process in first.items():
            wait_until(lambda: status(name)["processIdentifier"] != process, 20, f"{name} has the new broker")
    finally:
        is_over.set()
        caller.join(timeout=60)
    # Between the removal of the former program and the new one in its place there is none that could be started.
    assert all("not found" in failure or "No such file" in failure for failure in failures), failures
    after = {name: status(name)["processIdentifier"] for name in ("burger", "taco")}
    assert not set(after.values()) & set(first.values()) and answers[0] == first["burger"] and answers[-1] == after["burger"]
    # Browsers go on with the same extension for the same hosts.
    assert what_browsers_are_told(machine) == told and "example.oak.sso" in machine.do("lanyard-sso", "profile", "list")

    machine.do("apt-get", "purge", "--yes", "lanyard-sso")
    assert machine.processes("lanyard-broker") == []
    assert not machine.has(f"/run/user/{number}/lanyard/sso.sock")
