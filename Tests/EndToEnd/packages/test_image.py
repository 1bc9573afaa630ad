"""The image of a container: what is in it, and that it runs as it says, without a daemon.

Two tools that are not ours unpack and read it (`umoci`, `skopeo`). The server then runs in what was unpacked, as the user that the image
names, without a capability, on a file system that nobody can write to.
"""

import gzip
import hashlib
import io
import json
import os
import re
import signal
import stat
import subprocess
import tarfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from processes import ROOT, Program, free_port, run

ROOT_FILES = pytest.mark.skipif(os.geteuid() != 0, reason="only root can unpack files of others and enter a folder as a root")
# The folders in it that belong to the user of the image.
OWN = ("var/lib/lanyard", "var/lib/lanyard-backup")
COMPOSE = yaml.safe_load((ROOT / "packaging" / "compose.yaml").read_text())


def build(packages: dict[str, Path], out: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return run(ROOT / "scripts" / "build-image", "--packages", packages["lanyard"].parent, "--out", out, *options, timeout=300)


@pytest.fixture(scope="session")
def image(packages: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("image") / "lanyard.tar"
    done = build(packages, file, "--trial")
    assert done.returncode == 0, done.stdout + done.stderr
    return file


class Layout:
    """An archive in OCI's layout."""

    def __init__(self, file: Path):
        with tarfile.open(file) as archive:
            self.files = {entry.name: archive.extractfile(entry).read() for entry in archive if entry.isfile()}
            self.names = archive.getnames()
        self.index = json.loads(self.files["index.json"])
        [self.described] = self.index["manifests"]
        self.manifest = json.loads(self.blob(self.described))
        self.config = json.loads(self.blob(self.manifest["config"]))

    def blob(self, descriptor: dict[str, Any]) -> bytes:
        content = self.files["blobs/" + descriptor["digest"].replace(":", "/")]
        assert len(content) == descriptor["size"]
        return content

    @property
    def tag(self) -> str:
        return self.described["annotations"]["org.opencontainers.image.ref.name"]

    def layers(self) -> list[bytes]:
        return [gzip.decompress(self.blob(layer)) for layer in self.manifest["layers"]]


@pytest.fixture(scope="session")
def layout(image: Path) -> Layout:
    return Layout(image)


@pytest.fixture(scope="session")
def unpacked(image: Path, layout: Layout, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root of the image's file system, by umoci."""
    folder = tmp_path_factory.mktemp("unpacked")
    (folder / "layout").mkdir()
    assert run("tar", "--extract", "--file", image, "--directory", folder / "layout").returncode == 0
    done = run("umoci", "unpack", "--image", f"{folder / 'layout'}:{layout.tag}", folder / "bundle", timeout=300)
    assert done.returncode == 0, done.stderr
    return folder / "bundle" / "rootfs"


def test_every_digest_and_size_is_right(layout: Layout) -> None:
    assert json.loads(layout.files["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}
    for name, content in layout.files.items():
        if name.startswith("blobs/"):
            assert name == f"blobs/sha256/{hashlib.sha256(content).hexdigest()}"
    digests = [f"sha256:{hashlib.sha256(layer).hexdigest()}" for layer in layout.layers()]
    assert layout.config["rootfs"] == {"type": "layers", "diff_ids": digests}
    assert len(layout.config["history"]) == len(digests) == 2
    # The same for Docker before 25.
    [docker] = json.loads(layout.files["manifest.json"])
    assert docker["RepoTags"] == [f"lanyard:{layout.tag}"] and re.fullmatch(r"[\w.-]+", layout.tag)
    assert docker["Config"] == "blobs/" + layout.manifest["config"]["digest"].replace(":", "/")
    assert docker["Layers"] == ["blobs/" + layer["digest"].replace(":", "/") for layer in layout.manifest["layers"]]


def test_the_same_package_gives_the_same_bytes(packages: dict[str, Path], image: Path, tmp_path: Path) -> None:
    assert build(packages, tmp_path / "again.tar", "--trial").returncode == 0
    assert hashlib.sha256((tmp_path / "again.tar").read_bytes()).digest() == hashlib.sha256(image.read_bytes()).digest()


def test_it_is_small_enough(image: Path) -> None:
    assert image.stat().st_size < 120_000_000


def test_others_read_what_it_is(packages: dict[str, Path], image: Path, layout: Layout) -> None:
    version = run("dpkg-deb", "--field", packages["lanyard"], "Version").stdout.strip()
    commit = run("git", "-C", ROOT, "rev-parse", "HEAD").stdout.strip()
    for source in (f"oci-archive:{image}", f"docker-archive:{image}"):
        done = run("skopeo", "inspect", source)
        assert done.returncode == 0, done.stderr
        seen = json.loads(done.stdout)
        assert seen["Labels"]["org.opencontainers.image.version"] == version
        if not os.environ.get("LANYARD_PACKAGES"):
            assert seen["Labels"]["org.opencontainers.image.revision"] == commit
        assert (seen["Os"], len(seen["Layers"])) == ("linux", 2)
    config = json.loads(run("skopeo", "inspect", "--config", f"oci-archive:{image}").stdout)["config"]
    assert config["User"] == "65532:65532" and config["Volumes"] == {"/var/lib/lanyard": {}}
    assert (config["Entrypoint"], config["Cmd"]) == (["/usr/bin/lanyard"], ["serve"])
    docker = json.loads(run("skopeo", "inspect", "--raw", "--config", f"docker-archive:{image}").stdout)["config"]
    assert docker["Healthcheck"] == layout.config["config"]["Healthcheck"]


def test_nothing_in_it_gives_anybody_more_rights(layout: Layout) -> None:
    for content in layout.layers():
        for entry in tarfile.open(fileobj=io.BytesIO(content)):
            assert not entry.mode & (stat.S_ISUID | stat.S_ISGID), entry.name
            assert entry.issym() or not entry.mode & 0o022 or entry.name in ("tmp", "var/tmp"), entry.name
            assert (entry.uid, entry.gid) == ((65532, 65532) if entry.name in OWN else (0, 0)), entry.name
            assert entry.mtime == layout_time(layout)
            assert not re.search(r"bin/(sh|bash|dash|apt|dpkg|perl|python3)$", entry.name), entry.name


def layout_time(layout: Layout) -> int:
    return int(datetime.fromisoformat(layout.config["created"]).timestamp())


@ROOT_FILES
def test_every_library_has_its_package_and_licence(unpacked: Path) -> None:
    for file in (unpacked / "var/lib/dpkg/status.d").iterdir():
        text = file.read_text()
        assert f"Package: {file.name}\n" in text and re.search(r"^Version: \S", text, re.MULTILINE)
        assert (unpacked / "usr/share/doc" / file.name / "copyright").stat().st_size > 100
    names = {file.name for file in (unpacked / "var/lib/dpkg/status.d").iterdir()}
    assert names >= {"libc6", "libpq5", "libsqlite3-0", "libargon2-1", "libpango-1.0-0", "curl", "tzdata", "ca-certificates"}
    assert any(re.fullmatch(r"postgresql-client-\d+", name) for name in names)
    assert (unpacked / "usr/share/doc/lanyard/copyright").is_file()


@ROOT_FILES
def test_it_trusts_the_public_authorities_alone(unpacked: Path) -> None:
    bundle = (unpacked / "etc/ssl/certs/ca-certificates.crt").read_text()
    public = [file.read_text() for file in sorted(Path("/usr/share/ca-certificates/mozilla").glob("*.crt"))]
    assert len(public) > 100 and bundle == "".join(public)


def test_libraries_of_nobody_are_refused(packages: dict[str, Path], tmp_path: Path) -> None:
    if os.environ.get("LANYARD_PACKAGES"):
        pytest.skip("programs for release bring Swift's libraries along")
    done = build(packages, tmp_path / "image.tar")
    assert done.returncode != 0 and re.search(r"no package has \S+/libswift\S+", done.stderr), done.stderr
    assert not (tmp_path / "image.tar").exists()


def test_without_a_package_there_is_no_image(tmp_path: Path) -> None:
    done = run(ROOT / "scripts" / "build-image", "--packages", tmp_path, "--out", tmp_path / "image.tar")
    assert done.returncode != 0 and "run scripts/build-packages first" in done.stderr
    assert not (tmp_path / "image.tar").exists()


# Running it

ENTER = """
set -e
mount --make-rprivate /
mount --bind "$1" "$1"
mount --bind "$2" "$1/var/lib/lanyard"
mount --bind "$2-copies" "$1/var/lib/lanyard-backup"
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
mount -t tmpfs none "$1/tmp"
mount -o remount,bind,ro "$1"
root=$1 && shift 2
exec setpriv --no-new-privs -- chroot --userspec=65532:65532 --groups=65532 "$root" "$@"
"""


class Container:
    def __init__(self, root: Path, layout: Layout, data: Path, **environment: str):
        self.root, self.data = root, data
        self.config = layout.config["config"]
        self.environment = dict(each.split("=", 1) for each in self.config["Env"]) | environment
        self.copies = data.with_name(f"{data.name}-copies")
        user, group = map(int, self.config["User"].split(":"))
        for folder in (data, self.copies):
            folder.mkdir(mode=0o700)
            os.chown(folder, user, group)

    def command(self, *arguments: str) -> list[str | Path]:
        return [
            "env", "--ignore-environment", *(f"{name}={value}" for name, value in self.environment.items()),
            "/usr/bin/unshare", "--mount", "--pid", "--fork", "--kill-child", "/bin/sh", "-c",
            "PATH=/usr/sbin:/usr/bin:/sbin:/bin; " + ENTER, "enter", self.root, self.data, *arguments]

    def do(self, *arguments: str, status: int = 0) -> str:
        done = run(*self.command(*arguments))
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    def lanyard(self, *arguments: str) -> str:
        return self.do(*self.config["Entrypoint"], *arguments)


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def container(
    request: pytest.FixtureRequest, unpacked: Path, layout: Layout, tmp_path: Path
) -> Iterator[Container]:
    # What compose.yaml says, at a port of this test, with the database of this test.
    environment = dict(COMPOSE["services"]["lanyard"]["environment"]) | {
        "LANYARD_PORT": str(free_port()), "LANYARD_BASE_URL": "https://id.maple.example", "TZ": "America/Chicago"}
    del environment["LANYARD_DATABASE"]
    name = f"image_{os.getpid()}"
    if request.param == "PostgreSQL":
        server = os.environ.get("LANYARD_TEST_POSTGRES")
        if not server:
            pytest.skip("there is no PostgreSQL for tests")
        made = run("psql", server, "--command", f"CREATE DATABASE {name}")
        assert made.returncode == 0, made.stderr
        environment["LANYARD_DATABASE"] = re.sub(r"/[^/]*$", f"/{name}", server)
    yield Container(unpacked, layout, tmp_path / "data", **environment)
    if request.param == "PostgreSQL":
        run("psql", server, "--command", f"DROP DATABASE {name} WITH (FORCE)")


@ROOT_FILES
def test_the_server_runs_in_it_as_nobody_and_writes_nothing_but_data(container: Container) -> None:
    version = container.lanyard("--version").split()[0]
    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    begun = container.lanyard("init", "--name", "Maple District", "--domain", "maple.example")
    assert "https://id.maple.example/" in begun
    # Nobody has `lanyardctl` here.
    assert "Usage: lanyard org show" in container.do(*container.config["Entrypoint"], "org", "show", "--no-such-option", status=64)
    key = container.data / "master.key"
    assert (key.stat().st_uid, stat.S_IMODE(key.stat().st_mode)) == (65532, 0o600)
    assert (container.data / "lanyard.sqlite").exists() == ("LANYARD_DATABASE" not in container.environment)

    program = Program(
        *container.command(*container.config["Entrypoint"], *container.config["Cmd"]), log=container.data.parent / "serve.log")
    try:
        program.wait_until(lambda: "Lanyard is ready at " in program.log_text, 30, "the server is ready")
        port = container.environment["LANYARD_PORT"]
        address = f"http://127.0.0.1:{port}"
        for path in ("/healthz", "/readyz"):
            assert run("curl", "--fail", "--silent", address + path).returncode == 0
        # As a runtime would ask, inside.
        [kind, *check] = container.config["Healthcheck"]["Test"]
        assert kind == "CMD"
        asked = [word.replace(":8080/", f":{port}/") for word in check]
        assert asked != check
        container.do(*asked)
        assert "22" in str(run(*container.command(*[word.replace("healthz", "nothing") for word in asked])).returncode)

        [server] = [
            member for member in program.session_members() if Path(f"/proc/{member}/exe").resolve().name == "lanyard"]
        status = Path(f"/proc/{server}/status").read_text()
        assert re.search(r"^Uid:\s+65532\s+65532\s+65532", status, re.MULTILINE)
        assert re.search(r"^NoNewPrivs:\s+1$", status, re.MULTILINE)
        mounts = Path(f"/proc/{server}/mountinfo").read_text()
        assert re.search(r" / / ro[, ]| \S+ / ro[, ]", mounts), mounts
        os.kill(server, signal.SIGTERM)
        program.process.wait(timeout=30)
    finally:
        for member in program.session_members():
            os.kill(member, signal.SIGKILL)


@ROOT_FILES
def test_slips_are_drawn_in_every_script(container: Container, unpacked: Path) -> None:
    assert (unpacked / "usr/share/zoneinfo/Asia/Seoul").is_file() and not (unpacked / "usr/share/zoneinfo/right").exists()
    container.lanyard("init", "--name", "Maple District", "--domain", "maple.example")
    names = ["Łukasz", "Мария", "さくら", "王小明", "지우", "आरव"]
    for number, name in enumerate(names):
        container.lanyard(
            "person", "add", "--first-name", name, "--last-name", "Test", "--role", "student", "--user-name", f"p{number}@maple.example")
    told = container.lanyard("person", "passwords", "--role", "student", "--slips", "/var/lib/lanyard/slips.pdf")
    text = run("pdftotext", container.data / "slips.pdf", "-").stdout
    assert all(name in text for name in names), told + text
    assert "NanumGothic" in run("pdffonts", container.data / "slips.pdf").stdout


@ROOT_FILES
def test_copies_are_made_by_themselves_and_restored_in_it(container: Container) -> None:
    container.lanyard("init", "--name", "Maple District", "--domain", "maple.example")
    command = COMPOSE["services"]["copies"]["command"]
    log = container.data.parent / "copies.log"

    def stays() -> tuple[Program, str]:
        program = Program(*container.command(*container.config["Entrypoint"], *command), log=log)
        program.wait_until(lambda: re.search(r"The next copy is made at \S+ 0[78]:00 UTC", program.log_text), 60, "it waits for the night")
        return program, program.log_text

    # The first is made at once. Whoever starts it anew on the same day gets no other one.
    for is_first in (True, False):
        program, told = stays()
        try:
            assert (f"Made {container.environment['LANYARD_BACKUP_FOLDER']}/" in told) == is_first, told
            [server] = [
                member for member in program.session_members() if Path(f"/proc/{member}/exe").resolve().name == "lanyard"]
            os.kill(server, signal.SIGTERM)
            program.process.wait(timeout=30)
        finally:
            for member in program.session_members():
                os.kill(member, signal.SIGKILL)
    [manifest] = [file for file in container.copies.glob("*.json") if not file.name.endswith(".erasures.json")]
    assert stat.S_IMODE(manifest.stat().st_mode) == 0o600
    assert re.search(r"backup +The newest copy", container.do(*container.config["Entrypoint"], "doctor"))

    container.lanyard("init", "--name", "Oak District", "--domain", "oak.example")
    if location := container.environment.get("LANYARD_DATABASE"):
        server, name = os.environ["LANYARD_TEST_POSTGRES"], location.rpartition("/")[2]
        assert run("psql", server, "--command", f"DROP DATABASE {name}", "--command", f"CREATE DATABASE {name}").returncode == 0
    copy = json.loads(manifest.read_text())["copy"]["file"]
    container.lanyard("restore", f"/var/lib/lanyard-backup/{copy}", "--yes")
    organizations = container.lanyard("org", "list")
    assert "Maple District" in organizations and "Oak District" not in organizations


# Beside PostgreSQL


def test_the_file_for_compose_has_what_the_image_has(layout: Layout) -> None:
    server, database = COMPOSE["services"]["lanyard"], COMPOSE["services"]["database"]
    check = layout.config["config"]["Healthcheck"]
    told = server["healthcheck"]
    assert told["test"] == check["Test"] and told["retries"] == check["Retries"]
    for name, field in (("interval", "Interval"), ("timeout", "Timeout"), ("start_period", "StartPeriod")):
        assert told[name] == f"{check[field] // 10**9}s"
    assert server["read_only"] and server["cap_drop"] == ["ALL"] and "user" not in server and "privileged" not in server
    assert server["ports"] == ["127.0.0.1:8080:8080"] and "ports" not in database
    # A new volume belongs to whoever its folder belongs to in the image.
    places = [volume.split(":")[1] for volume in server["volumes"]]
    assert set(layout.config["config"]["Volumes"]) <= set(places) == {f"/{name}" for name in OWN}
    assert server["environment"]["LANYARD_BACKUP_FOLDER"] in places
    copies = COMPOSE["services"]["copies"]
    assert copies["volumes"] == server["volumes"] and copies["environment"] == server["environment"]
    assert copies["read_only"] and copies["cap_drop"] == ["ALL"] and copies["ports"] == [] and "user" not in copies
    [network] = COMPOSE["networks"]["default"]["ipam"]["config"]
    assert server["environment"]["LANYARD_TRUSTED_PROXIES"] == network["gateway"]
    # What doctor asks of PostgreSQL.
    assert "max_pred_locks_per_transaction=1024" in database["command"]
    settings = (ROOT / "docs" / "command-line.md").read_text()
    assert all(f"`{name}`" in settings for name in server["environment"])


def test_compose_takes_the_file_and_asks_for_what_is_missing() -> None:
    file = ROOT / "packaging" / "compose.yaml"
    values = {"LANYARD_VERSION": "0.1.0", "LANYARD_BASE_URL": "https://id.maple.example", "LANYARD_DATABASE_PASSWORD": "abc"}
    for missing in (None, *values):
        known = {name: value for name, value in values.items() if name != missing}
        done = subprocess.run(
            ["docker-compose", "--file", file, "config"], env={"PATH": os.environ["PATH"]} | known, capture_output=True, text=True)
        assert (done.returncode == 0) == (missing is None), done.stdout + done.stderr
        if missing:
            assert missing in done.stderr
        else:
            assert "postgres://lanyard:abc@database/lanyard" in done.stdout and "image: lanyard:0.1.0" in done.stdout
