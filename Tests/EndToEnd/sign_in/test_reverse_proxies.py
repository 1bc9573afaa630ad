"""The reverse proxies of docs/operate/reverse-proxies.md, with the very text of the page, in front of a server.

Each has a network of its own, in which ports 80 and 443 are free and the name of the page is this machine, and a layer above /etc for the
certificate.
"""

import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lanyard_tool import Tool
from processes import LANYARD, ROOT, Program, run

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a network")

PAGE = (ROOT / "docs" / "operate" / "reverse-proxies.md").read_text()
NAME = "id.maple.example"
BASE_URL = f"https://{NAME}"
# For documentation, so nobody's: RFC 5737. A client on loopback would be taken for a further proxy.
ADDRESS = "192.0.2.1"

START = """
set -e
mount --make-rprivate /
mount -t tmpfs -o mode=755 none /run
mkdir /run/nginx /run/log && mkdir /run/log/nginx
[ ! -d /var/lib/nginx ] || mount --bind /run/nginx /var/lib/nginx
mount --bind /run/log /var/log
mkdir /run/etc /run/etc-work /run/lock
mount -t overlay -o lowerdir=/etc,upperdir=/run/etc,workdir=/run/etc-work none /etc
echo "127.0.0.1 localhost" > /etc/hosts
echo "$3 $2" >> /etc/hosts
mkdir -p /etc/ssl/private /etc/caddy
for folder in /etc/ssl/certs /etc/caddy; do cp "$1/leaf.pem" "$folder/$2.pem"; done
for folder in /etc/ssl/private /etc/caddy; do cp "$1/leaf.key" "$folder/$2.key"; done
cat "$1/authority.pem" >> /etc/ssl/certs/ca-certificates.crt
ip link set lo up
ip address add "$3/32" dev lo
touch "$1/ready"
exec sleep infinity
"""


class Network:
    def __init__(self, folder: Path):
        self._folder = folder
        self._program = Program(
            "unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", START, "start", folder, NAME,
            ADDRESS, log=folder / "network.log")
        try:
            self._program.wait_until((folder / "ready").exists, 10, "the network is there")
        except BaseException:
            self._program.stop()
            raise
        process = self._program.process.pid
        self._inside = int(Path(f"/proc/{process}/task/{process}/children").read_text().split()[0])

    def enter(self, *arguments: str | Path) -> list[str]:
        return [
            "nsenter", f"--target={self._inside}", "--mount", "--net", "--pid", f"--wd={ROOT}", "env", f"HOME={self._folder}",
            "REQUESTS_CA_BUNDLE=/etc/ssl/certs/ca-certificates.crt", f"PYTHONPATH={ROOT / 'Tests' / 'EndToEnd'}", *map(str, arguments)]

    def do(self, *arguments: str | Path) -> str:
        done = run(*self.enter(*arguments))
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def stop(self) -> None:
        os.kill(self._inside, signal.SIGKILL)
        self._program.stop()


def block(language: str) -> str:
    [text] = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert NAME in text
    return text


def caddy(folder: Path) -> list[str | Path]:
    own = re.search(r"`(tls /etc/caddy/\S+ /etc/caddy/\S+)`", PAGE)
    assert own
    # With the line for a certificate of one's own: nobody here can ask Let's Encrypt for one.
    text = re.sub(r"^}$", f"\t{own[1]}\n}}", block("caddy"), flags=re.MULTILINE)
    (folder / "Caddyfile").write_text(f"{{\n\tadmin off\n}}\n{text}")
    return ["caddy", "run", "--config", folder / "Caddyfile", "--adapter", "caddyfile"]


def nginx(folder: Path) -> list[str | Path]:
    (folder / "nginx.conf").write_text(
        f"daemon off;\npid {folder}/nginx.pid;\nerror_log stderr;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{block('nginx')}}}\n")
    return ["nginx", "-c", folder / "nginx.conf"]


def apache(folder: Path) -> list[str | Path]:
    """Debian's own configuration has the modules that are enabled from the start; the page says which come on top."""
    enabled = re.search(r"^a2enmod (.*)$", PAGE, re.MULTILINE)
    assert enabled
    modules = ["mpm_event", "alias", "authz_core", "mime", "setenvif", "socache_shmcb", *enabled[1].split()]
    (folder / "apache.conf").write_text(
        "".join(f"LoadModule {one}_module /usr/lib/apache2/modules/mod_{one}.so\n" for one in modules)
        + f"ServerName 127.0.0.1\nServerRoot {folder}\nDefaultRuntimeDir /run\nPidFile /run/apache.pid\nErrorLog /dev/stderr\n"
        f"TypesConfig /dev/null\nUser www-data\nGroup www-data\nListen 80\nListen 443\n{block('apache')}")
    return ["apache2", "-f", folder / "apache.conf", "-D", "FOREGROUND"]


def certificates(folder: Path) -> None:
    def make(file: str, name: str, *options: str | Path) -> None:
        made = run(
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", "60", "-subj",
            f"/CN={name}", "-keyout", folder / f"{file}.key", "-out", folder / f"{file}.pem", *options)
        assert made.returncode == 0, made.stderr

    make("authority", "An authority of our own")
    make("leaf", NAME, "-CA", folder / "authority.pem", "-CAkey", folder / "authority.key", "-addext", f"subjectAltName=DNS:{NAME}",
         "-addext", "basicConstraints=critical,CA:FALSE")


@pytest.fixture
def network(tmp_path: Path) -> Iterator[Network]:
    certificates(tmp_path)
    network = Network(tmp_path)
    yield network
    network.stop()


@pytest.mark.parametrize("proxy", [caddy, nginx, apache], ids=lambda proxy: proxy.__name__)
def test_the_text_of_the_page_is_a_proxy_for_the_server(
    tool: Tool, network: Network, tmp_path: Path, proxy: Callable[[Path], list[str | Path]]
) -> None:
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps({"name": "Maple District", "domain": "maple.example", "address": BASE_URL}))

    def lanyard(*arguments: str | Path) -> str:
        return network.do(LANYARD, *arguments, "--data", tool.data)

    begun = json.loads(lanyard("setup", "--from", answers, "--json"))
    assert [one["status"] for one in begun["findings"] if one["check"] == "certificate"] == ["warning"]
    lanyard("person", "add", "--first-name", "Nadia", "--last-name", "Berg", "--role", "administrator")
    password = json.loads(lanyard("person", "password", "nadia.berg@maple.example", "--json"))["password"]
    command = proxy(tmp_path)
    programs: list[Program] = []
    try:
        for words, log in (([LANYARD, "serve", "--data", tool.data], "serve.log"), (command, "proxy.log")):
            programs.append(Program(*network.enter(*words), log=tmp_path / log))
        programs[1].wait_until(
            lambda: run(*network.enter("curl", "--fail", "--silent", f"{BASE_URL}/readyz")).returncode == 0, 60, "the proxy passes on")
        found = {one["check"]: one for one in json.loads(lanyard("setup", "--check", "--json"))["findings"]}
        assert [found[check]["status"] for check in ("name", "certificate")] == ["ok", "ok"], found

        head = network.do("curl", "--silent", "--head", f"http://{NAME}/account?x=1")
        assert re.match(r"HTTP/1.1 30[18] ", head) and f"ocation: {BASE_URL}/account?x=1" in head, head
        head = network.do("curl", "--silent", "--include", f"{BASE_URL}/nothing-here")
        assert re.search("(?i)^strict-transport-security: max-age=31536000", head, re.MULTILINE), head

        network.do(sys.executable, Path(__file__).with_name("behind_proxy.py"), BASE_URL, "nadia.berg@maple.example", password)
        entries = json.loads(lanyard("audit", "list", "--json"))["entries"]
        [origin] = [entry["origin"] for entry in entries if entry["action"] == "sign-in"]
        assert origin.split()[0] == ADDRESS
    finally:
        for program in reversed(programs):
            program.stop()
