"""A request's way through the broker: covered or not, asked, answered.

docs/specifications/extensible-single-sign-on.md, 10 to 18.
"""

import json
import os
import re
import shutil
import socket
import stat
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from broker import APP, BROKER, EXTENSION, TEAM, Device, SocketConnection, body_of, managed_domains, payload, profile, strings
from processes import ROOT, wait_until

BASE = "https://id.acme.test/realms/staff"


def test_the_extension_gets_the_whole_request_in_place_of_the_server(device: Device) -> None:
    outcome = device.ask(
        f"{BASE}/echo?a=1&b=%20#f", headers=[["Accept", "text/html"], ["X-Two", "1"], ["X-Two", "2"]], body="aGVsbG8=")
    assert outcome["outcome"] == "response" and outcome["reason"] == "answered"
    assert outcome["extension"] == EXTENSION
    echo = json.loads(body_of(outcome))
    assert echo["url"] == f"{BASE}/echo?a=1&b=%20#f"
    assert echo["headers"] == [["Accept", "text/html"], ["X-Two", "1"], ["X-Two", "2"]]
    assert echo["body"] == "aGVsbG8="
    assert echo["operation"] == "" and not echo["isChallenge"]
    assert echo["caller"].startswith("exe:/") and "python" in echo["caller"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root writes the device's policy")
def test_the_policy_says_which_callers_are_managed(device: Device) -> None:
    def is_managed() -> bool:
        return json.loads(body_of(device.ask(f"{BASE}/echo")))["isManaged"]

    policy = device.folder / "policy.json"
    caller = json.loads(body_of(device.ask(f"{BASE}/echo")))["caller"]
    device.stop()
    device.start("--policy", str(policy))
    device.wait_for_domains()
    assert not is_managed()
    policy.write_text(json.dumps({"managedApps": ["com.example.Other", caller]}))
    wait_until(is_managed, 10, "the caller is managed")
    policy.unlink()
    wait_until(lambda: not is_managed(), 10, "nobody is")


# Puts one program of root's at the path of another, for itself alone, and takes it away when it runs.
IN_PLACE_OF_ANOTHER = """
mount -t tmpfs none "$0"
mkdir "$0/up" "$0/work" "$0/merged"
mount -t overlay -o "lowerdir=/usr/bin,upperdir=$0/up,workdir=$0/work,userxattr" none "$0/merged"
mount --bind "$0/merged/curl" "$1"
exec 3<&0
"$1" --silent --config - <&3 &
until [ "$(readlink "/proc/$!/exe")" = "$1" ]; do sleep 0.01; done
rm "$0/merged/curl"
echo ready
wait
"""
# Makes a root of its own that says it is a Flatpak's.
IN_A_SANDBOX_OF_ITS_OWN = """
mount -t tmpfs none "$0"
for folder in /*; do
    if [ -L "$folder" ]; then cp --no-dereference "$folder" "$0"; fi
    if [ -d "$folder" ] && [ ! -L "$folder" ]; then mkdir "$0$folder"; mount --rbind "$folder" "$0$folder"; fi
done
if [ "$1" = pipe ]; then mkfifo "$0/.flatpak-info"; else printf "[Application]\\nname=$1\\n" > "$0/.flatpak-info"; fi
echo ready
exec chroot "$0" curl --silent --config -
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root writes the device's policy")
def test_nobody_becomes_another_app_by_files_that_it_alone_sees(device: Device, tmp_path: Path) -> None:
    """Anybody can have a mount namespace, and root's curl does what anybody tells it."""
    git = os.path.realpath("/usr/bin/git")
    device.stop()
    policy = device.folder / "policy.json"
    policy.write_text(json.dumps({"managedApps": ["org.mozilla.firefox", f"exe:{git}", f"exe:{git} (deleted)"]}))
    device.start("--policy", str(policy))
    device.wait_for_domains()

    def ask_from(script: str, name: str) -> dict:
        place = tmp_path / "place"
        place.mkdir(exist_ok=True)
        caller = subprocess.Popen(
            ["unshare", "--mount", "sh", "-ec", script, place, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert caller.stdout.readline() == "ready\n"
        body = json.dumps({"url": f"{BASE}/echo", "presentation": "none"})
        answer, _ = caller.communicate(
            f'unix-socket = "{device.socket}"\nurl = "http://x/v1/requests"\ndata = {json.dumps(body)}\n', timeout=20)
        return json.loads(answer.splitlines()[-1])

    echo = json.loads(body_of(ask_from(IN_PLACE_OF_ANOTHER, git)))
    assert (echo["caller"], echo["team"], echo["isManaged"]) == (f"exe:{git} (deleted)", "", False)
    echo = json.loads(body_of(ask_from(IN_A_SANDBOX_OF_ITS_OWN, "org.mozilla.firefox")))
    assert (echo["caller"], echo["name"], echo["isManaged"]) == ("org.mozilla.firefox", "org.mozilla.firefox", False)
    # A pipe in its place blocks nothing. A caller with other files, but in no known sandbox, gets no answer.
    assert ask_from(IN_A_SANDBOX_OF_ITS_OWN, "pipe")["reason"] == "callerUnknown"
    # A caller that sees the same files as the broker is managed.
    body = json.dumps({"url": f"{BASE}/echo", "presentation": "none"})
    policy.write_text(json.dumps({"managedApps": ["exe:/usr/bin/curl"]}))

    def is_managed() -> bool:
        asking = ["curl", "--silent", "--unix-socket", device.socket, "--data", body, "http://x/v1/requests"]
        answer = subprocess.run(asking, capture_output=True, text=True, timeout=20).stdout
        return json.loads(body_of(json.loads(answer.splitlines()[-1])))["isManaged"]

    wait_until(is_managed, 10, "curl is managed")


def test_the_dictionary_of_the_payload_arrives_with_its_types(device: Device) -> None:
    echo = json.loads(body_of(device.ask(f"{BASE}/echo")))
    assert echo["extensionData"] == {
        "username": "mika", "level": 3, "when": {"$date": 1767323045}, "key": {"$data": "AAEC"}}


def test_only_what_a_prefix_covers_goes_to_the_extension(device: Device) -> None:
    for url in [
        "https://id.acme.test/realms/staffroom/page", "https://id.acme.test/", "http://id.acme.test/realms/staff/page",
        "https://id.acme.test:8443/realms/staff/page", "https://example.org/", "ftp://id.acme.test/realms/staff/page",
        "", "https://", "javascript:alert(1)"
    ]:
        outcome = device.ask(url)
        assert outcome["outcome"] == "notHandled" and outcome["reason"] == "notCovered", url
    assert body_of(device.ask("HTTPS://ID.acme.TEST:443/realms/staff/page")) == "<p>hello</p>"
    assert body_of(device.ask("https://saml.acme.test/page")) == "<p>hello</p>"


def test_a_response_and_its_headers_come_back(device: Device) -> None:
    outcome = device.ask(f"{BASE}/page")
    assert outcome["response"]["status"] == 200 and outcome["response"]["url"] == f"{BASE}/page"
    assert ["Set-Cookie", "session=1; Path=/"] in outcome["response"]["headers"]
    outcome = device.ask(f"{BASE}/redirect?https://app.acme.test/back")
    assert outcome["response"]["status"] == 302
    assert ["Location", "https://app.acme.test/back"] in outcome["response"]["headers"]


def test_a_challenge_goes_to_the_extension_of_the_host_and_comes_back_as_headers(device: Device) -> None:
    outcome = device.ask(
        "https://intranet.acme.test/headers", responseCode=401, headers=[["WWW-Authenticate", "Test realm=x"]])
    assert outcome["outcome"] == "headers"
    assert outcome["authorizationHeaders"] == [["Authorization", "Test CORP.ACME.TEST"]]


def test_a_challenge_can_be_rejected(device: Device) -> None:
    outcome = device.ask(
        "https://intranet.acme.test/decline", responseCode=401, headers=[["WWW-Authenticate", "Unheard-of"]])
    assert (outcome["outcome"], outcome["reason"]) == ("notHandled", "extensionDeclined")
    assert outcome.get("authorizationHeaders") is None


def test_one_kind_is_asked_before_the_request_and_the_other_after_the_challenge(device: Device) -> None:
    page, challenged = f"{BASE}/page", "https://intranet.acme.test/headers"
    assert device.ask(page)["outcome"] == "response"
    assert device.ask(page, responseCode=401)["reason"] == "notCovered"
    assert device.ask(challenged)["reason"] == "notCovered"
    assert device.ask(challenged, responseCode=401)["outcome"] == "headers"


def test_type_and_hosts_are_all_that_differs_and_no_domain_has_to_agree(device: Device) -> None:
    claims = strings("URLs", ["https://id.acme.test/realms/staff/"]) + strings("Hosts", ["id.acme.test"])
    device.domains.apps["id.acme.test"] = []
    device.post("/v1/domains/refresh", {})
    device.install_profile(profile([payload("Redirect", claims)]))
    wait_until(lambda: device.ask(f"{BASE}/page")["reason"] == "domainNotApproved", 10, "the profile counts")
    assert device.ask(f"{BASE}/headers", responseCode=401)["reason"] == "notCovered"
    device.install_profile(profile([payload("Credential", claims)]))
    wait_until(
        lambda: device.ask(f"{BASE}/headers", responseCode=401)["outcome"] == "headers", 10, "the profile counts")
    assert device.ask(f"{BASE}/page")["reason"] == "notCovered"


def test_domains_can_come_with_the_profile(device: Device) -> None:
    """A profile adds the domains of a customer to those that the extension's author has named."""
    managed = managed_domains(f"{TEAM}.{APP}", ["authsrv:id.acme.test"])
    own = ["authsrv:saml.acme.test"]
    redirect = payload("Redirect", strings("URLs", [f"{BASE}/", "https://saml.acme.test"]))

    def answers(url: str, reason: str) -> None:
        wait_until(lambda: device.ask(url)["reason"] == reason, 10, f"{url} is {reason}")

    device.install_extension(associatedDomains=own)
    device.install_profile(profile([redirect]))
    answers("https://saml.acme.test/page", "answered")
    answers(f"{BASE}/page", "domainNotApproved")
    device.install_profile(profile([redirect, managed]))
    answers(f"{BASE}/page", "answered")
    answers("https://saml.acme.test/page", "answered")
    # The app has to allow organizations to add domains.
    device.install_extension(associatedDomains=own, acceptsManagedDomains=False)
    answers(f"{BASE}/page", "domainNotApproved")
    answers("https://saml.acme.test/page", "answered")


# An extension that signs in at a provider which answers with a challenge.
SIGNS_IN = """#!/usr/bin/python3
import base64, http.client, json, os, socket, struct, sys
peer = socket.socket(fileno=int(os.environ["LANYARD_SSO_EXTENSION_SOCKET"]))
def send(message):
    data = json.dumps(message).encode()
    peer.sendall(struct.pack(">I", len(data)) + data)
class Broker(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(sys.argv[1])
def ask(**request):
    broker = Broker("localhost")
    broker.request("POST", "/v1/requests", body=json.dumps({"presentation": "none"} | request))
    return json.loads(broker.getresponse().read())
send({"ready": {"version": 1}})
while head := peer.recv(4):
    (name, content), = json.loads(peer.recv(struct.unpack(">I", head)[0], socket.MSG_WAITALL)).items()
    if name != "begin": continue
    request = content["_0"]
    found = [ask(url="https://intranet.acme.test/headers", responseCode=401,
                 headers=[["WWW-Authenticate", "Test realm=x"]]), ask(url=request["url"])]
    body = base64.b64encode(json.dumps(found).encode()).decode()
    send({"completed": {"id": request["id"], "_1": {"response": {"_0": {
        "url": request["url"], "status": 200, "headers": [], "body": body}}}}})
"""


def test_a_challenge_on_the_way_goes_to_the_other_extension(device: Device, tmp_path: Path) -> None:
    program = tmp_path / "signs-in"
    program.write_text(SIGNS_IN)
    program.chmod(0o755)
    other = "test.acme.tickets.extension"
    device.install_extension(extensionIdentifier=other)
    device.install_extension(executable=str(program), arguments=[str(device.socket)])
    device.install_profile(profile([
        payload("Redirect", strings("URLs", [f"{BASE}/"])),
        payload("Credential", strings("Hosts", ["intranet.acme.test"]) + "<key>Realm</key><string>ACME</string>",
                identifier="test.acme.sso.tickets", extension=other)]))
    wait_until(lambda: device.match("https://intranet.acme.test/", 401).get("extension") == other, 10, "both count")
    wait_until(lambda: device.ask(f"{BASE}/welcome")["outcome"] == "response", 10, "it signs in")
    challenge, page = json.loads(body_of(device.ask(f"{BASE}/welcome")))
    assert challenge["authorizationHeaders"] == [["Authorization", "Test ACME"]]
    # Its own pages are not brought to it again.
    assert (page["outcome"], page["reason"]) == ("notHandled", "fromExtension")


def test_a_caller_cannot_say_who_it_is(device: Device, tmp_path: Path) -> None:
    """By another name, from a copy, in the request, or with a program that is the bridge's in name alone."""
    lanyard = tmp_path / "lanyard"
    shutil.copy("/usr/bin/curl", lanyard)
    body = json.dumps({
        "url": f"{BASE}/echo", "presentation": "none", "caller": "test.acme.bank", "bundleIdentifier": "test.acme.bank",
        "headers": [["X-Caller", "test.acme.bank"]]})
    for shown in ["/usr/bin/chromium", "lanyard", "exe:/usr/bin/chromium"]:
        done = subprocess.run(
            ["bash", "-c", 'exec -a "$0" "$@"', shown, lanyard, "-s", "--unix-socket", device.socket,
             "http://localhost/v1/requests", "-d", body], capture_output=True, check=True, text=True)
        echo = json.loads(body_of(json.loads(done.stdout)))
        assert (echo["caller"], echo["isManaged"]) == (f"exe:{lanyard}", False)


def test_the_challenge_itself_is_in_headers_and_options(device: Device) -> None:
    outcome = device.ask(
        "https://a.b.corp.acme.test/echo", responseCode=407,
        headers=[["Proxy-Authenticate", "Negotiate"], ["Proxy-Authenticate", "Basic realm=x"]])
    echo = json.loads(outcome["authorizationHeaders"][0][1])
    assert echo["isChallenge"] and echo["realm"] == "CORP.ACME.TEST"
    assert echo["options"]["challenges"] == ["Negotiate", "Basic realm=x"]
    assert echo["options"]["responseCode"] == 407 and echo["options"]["isProxy"] is True


def test_hosts_match_whole_or_as_suffix(device: Device) -> None:
    for host, covered in [
        ("intranet.acme.test", True), ("x.intranet.acme.test", False), ("a.corp.acme.test", True),
        ("corp.acme.test", False), ("xcorp.acme.test", False), ("A.CORP.acme.test", True),
    ]:
        assert device.match(f"https://{host}/", 401)["isCovered"] is covered, host


def test_realms_and_hosts_can_be_named(device: Device) -> None:
    for url in ["sso-realm:CORP.ACME.TEST", "sso-realm://CORP.ACME.TEST", "sso-host:x.corp.acme.test"]:
        outcome = device.ask(url, operation="login")
        assert outcome["reason"] == "extensionDeclined", outcome
    assert device.ask("sso-realm:corp.acme.test", operation="login")["reason"] == "notCovered"


def test_an_operation_arrives_with_its_options(device: Device) -> None:
    outcome = device.ask(
        f"{BASE}/echo", operation="refresh", options=[["client_id", "burgers"]], scopes=["openid", "email"],
        state="s1", nonce="n1")
    echo = json.loads(body_of(outcome))
    assert echo["operation"] == "refresh"
    assert echo["options"] == {"client_id": "burgers", "scope": "openid email", "state": "s1", "nonce": "n1"}


def test_every_caller_has_data_of_its_own(device: Device) -> None:
    assert body_of(device.ask(f"{BASE}/count")).startswith("1 of 1 in")
    assert body_of(device.ask(f"{BASE}/count")).startswith("2 of 2 in")
    answer = subprocess.run(
        ["curl", "-s", "--unix-socket", device.socket, "http://localhost/v1/requests", "-d",
         json.dumps({"url": f"{BASE}/count", "presentation": "none"})],
        capture_output=True, check=True, text=True).stdout
    assert body_of(json.loads(answer)).startswith("1 of 3 in")


def test_what_the_extension_does_not_handle_goes_on_without_it(device: Device) -> None:
    outcome = device.ask(f"{BASE}/decline")
    assert outcome["outcome"] == "notHandled" and outcome["reason"] == "extensionDeclined"
    assert outcome.get("error") is None
    assert device.ask(f"{BASE}/decline", operation="login")["error"]["code"] == 1003


def test_cancel_is_passed_on(device: Device) -> None:
    outcome = device.ask(f"{BASE}/cancel")
    assert outcome["outcome"] == "canceled" and outcome["error"]["code"] == 1001


def test_an_error_crosses_whole(device: Device) -> None:
    error = device.ask(f"{BASE}/fail", operation="login")["error"]
    assert (error["domain"], error["code"], error["message"]) == ("TestDomain", -6000, "It failed.")
    assert error["userInfo"] == {"hint": "on purpose"}
    assert error["underlying"]["message"] == "The cause."


@pytest.mark.parametrize(
    ("path", "fields"),
    [("headers", {}), ("empty", {}), ("page", {"responseCode": 401}), ("empty", {"responseCode": 401})])
def test_a_wrong_method_cancels_the_request(device: Device, path: str, fields: dict) -> None:
    url = f"https://intranet.acme.test/{path}" if fields else f"{BASE}/{path}"
    outcome = device.ask(url, **fields)
    assert outcome["outcome"] == "failed" and outcome["reason"] == "wrongCompletion"
    assert outcome["error"]["code"] == 1001
    assert "does not answer" in device.get("/v1/log")[-1]["detail"]


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("other-origin", "another origin"), ("status?500", "status is 500"), ("status?301", "status is 301"),
        ("status?302", "without a Location"), ("redirect?javascript:alert(1)", "leads to no page"),
        ("split", "line break"), ("large", "at most 131072"),
    ])
def test_answers_that_no_caller_should_get(device: Device, path: str, problem: str) -> None:
    outcome = device.ask(f"{BASE}/{path}")
    assert outcome["outcome"] == "failed" and outcome["reason"] == "unusableResponse"
    assert outcome["error"]["code"] == 1002 and problem in outcome["error"]["message"]
    assert outcome.get("response") is None


def test_a_second_answer_is_not_heard(device: Device) -> None:
    assert body_of(device.ask(f"{BASE}/twice")) == "<p>first</p>"
    assert body_of(device.ask(f"{BASE}/page")) == "<p>hello</p>"
    assert "answered or cancelled before" in device.program.log_text


def test_an_answer_of_ten_megabytes_fails_alone(device: Device) -> None:
    pid = body_of(device.ask(f"{BASE}/count")).split()[-1]
    outcome = device.ask(f"{BASE}/huge")
    assert outcome["outcome"] == "failed" and outcome["error"]["code"] == 1002
    assert body_of(device.ask(f"{BASE}/count")).split()[-1] == pid


def test_an_extension_that_sends_ten_megabytes_nevertheless_loses_its_life(device: Device, tmp_path: Path) -> None:
    """An extension without Lanyard's library, which would not send it."""
    program = tmp_path / "raw"
    program.write_text(
        "#!/usr/bin/python3\n"
        "import os, socket, struct\n"
        "peer = socket.socket(fileno=int(os.environ['LANYARD_SSO_EXTENSION_SOCKET']))\n"
        "peer.recv(4)\n"
        "peer.sendall(struct.pack('>I', 10_000_000) + b'a' * 10_000_000)\n")
    program.chmod(0o755)
    device.install_extension(executable=str(program))
    wait_until(
        lambda: device.ask(f"{BASE}/page")["reason"] == "unusableResponse", 20, "the message is refused", pause=0.2)
    assert "10000000 bytes" in device.program.log_text
    assert device.ask("https://example.org/")["reason"] == "notCovered"


def test_a_flooded_log_holds_up_nobody_but_its_extension(device: Device) -> None:
    device.stop()
    # Three pages take three seconds at least, and longer on a busy machine.
    device.start("--silent-limit", "12")
    device.wait_for_domains()
    flooding = SocketConnection(device.socket)
    flooding.request("POST", "/v1/requests", body=json.dumps({"url": f"{BASE}/flood", "presentation": "none"}))
    log = device.program.log
    # It would write five megabytes at once, and waits after each page of them.
    for pages in (1, 2, 3):
        wait_until(lambda: log.read_text().count("it writes more than is kept") >= pages, 10, "it has to wait")
        assert device.ask("https://example.org/")["reason"] == "notCovered"
    assert json.loads(flooding.getresponse().read())["reason"] == "timedOut"
    # Whoever asked meanwhile was not kept until it ended.
    assert [entry["reason"] for entry in device.get("/v1/log")][-4:] == ["notCovered"] * 3 + ["timedOut"]
    assert log.stat().st_size < 2_000_000
    assert device.ask(f"{BASE}/page")["outcome"] == "response"


def test_bad_requests_are_told_what_is_wrong(device: Device) -> None:
    for body, words in [
        ("{", "not JSON"), ("[]", "no JSON object"), ("{}", "“url” is missing"),
        ('{"url": "https://x/", "responseCode": 200}', "0, 401 or 407"),
        ('{"url": "https://x/", "presentation": "billboard"}', "presentation"),
        ('{"url": 3}', "“url” is of another type"),
    ]:
        connection = SocketConnection(device.socket)
        connection.request("POST", "/v1/requests", body=body)
        response = connection.getresponse()
        assert response.status == 400, body
        assert words in json.loads(response.read())["error"], body
    connection = SocketConnection(device.socket)
    connection.request("POST", "/v1/requests", body=b"x" * (1 << 21))
    assert connection.getresponse().status == 413
    connection = SocketConnection(device.socket)
    connection.request("GET", "/v1/match?url=https://x/", headers={"Origin": "https://evil.test"})
    assert connection.getresponse().status == 403


def test_a_domain_that_has_not_agreed_gets_no_extension(device: Device) -> None:
    device.domains.apps["saml.acme.test"] = ["OTHER.app"]
    assert device.post("/v1/domains/refresh", {})[0] == 200
    outcome = device.ask("https://saml.acme.test/page")
    assert outcome["outcome"] == "notHandled" and outcome["reason"] == "domainNotApproved"
    assert "has not agreed" in device.match("https://saml.acme.test/page")["explanation"]
    assert device.ask(f"{BASE}/page")["outcome"] == "response"


def test_a_profile_of_another_team_asks_nobody(device: Device) -> None:
    device.install_extension(teamIdentifier="OTHER12345")
    wait_until(lambda: device.ask(f"{BASE}/page")["reason"] == "extensionMissing", 10, "the change is seen")


def test_a_profile_counts_as_soon_as_it_is_there_and_no_longer(device: Device) -> None:
    events = SocketConnection(device.socket)
    events.request("GET", "/v1/events")
    stream = events.getresponse()
    assert json.loads(stream.readline()) == {"event": "profilesChanged"}
    (device.profiles / "acme.mobileconfig").unlink()
    assert json.loads(stream.readline()) == {"event": "profilesChanged"}
    # The event may be about a domain that has just agreed; then another follows. The stream's time limit ends this.
    while device.ask(f"{BASE}/page")["reason"] != "notCovered":
        assert json.loads(stream.readline()) == {"event": "profilesChanged"}
    assert device.get("/v1/status")["urls"] == []


def test_denied_callers_get_nothing(device: Device) -> None:
    name = json.loads(body_of(device.ask(f"{BASE}/echo")))["caller"]
    device.install_profile(profile([payload(
        "Redirect", strings("URLs", ["https://id.acme.test/realms/staff/"])
        + strings("DeniedBundleIdentifiers", [name]))]))
    wait_until(lambda: device.ask(f"{BASE}/page")["reason"] == "callerDenied", 10, "the caller is denied")
    # Another program of the same user is another caller.
    answer = subprocess.run(
        ["curl", "-s", "--unix-socket", device.socket, "http://localhost/v1/requests", "-d",
         json.dumps({"url": f"{BASE}/page", "presentation": "none"})],
        capture_output=True, check=True, text=True).stdout
    assert json.loads(answer)["outcome"] == "response"


def test_the_log_says_why_and_keeps_no_secrets(device: Device) -> None:
    device.ask(f"{BASE}/page?password=hunter2#token", headers=[["Cookie", "a=hunter2"]])
    entry = device.get("/v1/log")[-1]
    assert entry["url"] == f"{BASE}/page" and entry["outcome"] == "response" and entry["reason"] == "answered"
    assert "hunter2" not in device.program.log_text and "token" not in json.dumps(entry)


def test_an_extension_inherits_nothing_but_its_socket(device: Device) -> None:
    targets = body_of(device.ask(f"{BASE}/open")).split()
    assert targets[0] == "/dev/null" and targets[1] == targets[2] and targets[1].startswith("pipe:")
    assert targets[3].startswith("socket:")
    # All other descriptors were opened by the extension's own runtime.
    assert all(target.startswith("anon_inode:") or "/proc/" in target for target in targets[4:]), targets


def test_the_socket_is_for_this_user_alone(device: Device) -> None:
    assert device.socket.stat().st_mode & 0o777 == 0o600
    assert device.socket.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="takes two users")
def test_another_user_cannot_reach_the_broker(device: Device, tmp_path: Path) -> None:
    for parent in [device.socket.parent, *device.socket.parent.parents]:
        # Adds what is missing and takes nothing away: among them is the folder of all temporary files.
        if (found := parent.stat()).st_uid == 0 and str(parent) != "/":
            parent.chmod(stat.S_IMODE(found.st_mode) | 0o055)
    # Even with every door open.
    device.socket.chmod(0o666)
    script = (
        "import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); "
        "s.sendall(b'GET /v1/status HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n'); print(s.recv(1000).decode())")
    answer = subprocess.run(
        ["/usr/bin/python3", "-c", script, device.socket], user="nobody", capture_output=True, text=True)
    assert "403" in answer.stdout and "another user" in answer.stdout
    device.socket.chmod(0o600)
    answer = subprocess.run(
        ["/usr/bin/python3", "-c", script, device.socket], user="nobody", capture_output=True, text=True)
    assert "PermissionError" in answer.stderr


def test_the_guide_s_program_in_another_language_gets_an_answer(device: Device, tmp_path: Path) -> None:
    """What the socket takes and gives is written down, and is so."""
    guide = (ROOT / "docs" / "native-sign-in.md").read_text()
    [block] = re.findall(r"^```python\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    program = tmp_path / "program.py"
    program.write_text(block)
    # The person who runs this test may have a desktop, on which the program would ask.
    nowhere = ["DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"]
    device.stop()
    device.start(program=["env", *[f"--unset={name}" for name in nowhere], BROKER])
    device.wait_for_domains()

    def result(url: str, socket: Path = device.socket) -> tuple[int, str, str]:
        done = subprocess.run(
            ["/usr/bin/python3", program, url], capture_output=True, text=True, timeout=30,
            env=os.environ | {"LANYARD_SSO_SOCKET": str(socket)})
        return done.returncode, done.stdout, done.stderr

    status, text, _ = result(f"{BASE}/echo")
    assert status == 0 and json.loads(text)["operation"] == "refresh" and not json.loads(text)["isUserInterfaceEnabled"]
    # It is not asked silently for ever.
    asked = len(device.get("/v1/log"))
    status, _, problem = result(f"{BASE}/login")
    assert status == 1 and problem == "Not signed in: notInteractive\n"
    assert [entry["operation"] for entry in device.get("/v1/log")[asked:]] == ["refresh", "login"]
    for url, socket in [("https://example.org/", device.socket), (f"{BASE}/echo", tmp_path / "nobody")]:
        status, _, problem = result(url, socket)
        assert status == 1 and "There is no single sign-on here" in problem


def test_the_guide_names_what_the_socket_takes_and_gives() -> None:
    guide = (ROOT / "docs" / "native-sign-in.md").read_text()
    section = guide.partition("## Another language")[2].partition("\n## ")[0]
    wire = (ROOT / "Sources" / "Device" / "SingleSignOnWire" / "BrokerMessages.swift").read_text()
    request = wire.partition("public struct BrokerRequest")[2].partition("public struct Page")[0]
    outcome = wire.partition("public struct BrokerOutcome")[2].partition("public init")[0]
    fields = set(re.findall(r"public var `?(\w+)`?:", request + outcome)) | set(re.findall(r"^        case (\w+)$", outcome, re.M))
    # `page` is accepted from Lanyard's own programs only, and `extension` is for readers of the log.
    assert {field for field in fields if f"`{field}`" not in section} == {"page", "extension"}


def test_a_caller_that_disappears_cancels_its_request(device: Device) -> None:
    connection = SocketConnection(device.socket)
    connection.request("POST", "/v1/requests", body=json.dumps({"url": f"{BASE}/never", "presentation": "none"}))
    wait_until(lambda: device.get("/v1/status")["extensions"][0]["openRequests"] == 1, 10, "it is asked")
    connection.close()
    wait_until(lambda: device.get("/v1/status")["extensions"][0]["openRequests"] == 0, 10, "it is canceled")
    wait_until(lambda: "canceled https://id.acme.test/realms/staff/never" in device.program.log_text, 10, "it hears")
    assert device.get("/v1/log")[-1]["reason"] == "callerGone"


def test_a_second_broker_on_the_same_socket_says_so(device: Device, tmp_path: Path) -> None:
    from processes import run

    second = run(BROKER, "--socket", device.socket, "--state", tmp_path / "other")
    assert second.returncode != 0 and "already answers" in second.stderr
    assert device.ask("https://example.org/")["reason"] == "notCovered"


@pytest.mark.parametrize("nonsense", [
    b"\x00" * 10_000, b"GET / HTTP/9.9\r\n\r\n", b"POST /v1/requests HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\n\r\n",
])
def test_nonsense_on_the_socket_hurts_nobody(device: Device, nonsense: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(str(device.socket))
        peer.settimeout(20)
        answer = b""
        # Whether all of it was read, or the connection ended before, the answer is there: a Unix socket keeps it.
        with suppress(BrokenPipeError, ConnectionResetError):
            peer.sendall(nonsense)
        with suppress(ConnectionResetError):
            while part := peer.recv(10_000):
                answer += part
        assert answer.startswith(b"HTTP/1.1 400 Bad Request\r\n"), (nonsense[:40], answer)
    assert device.ask("https://example.org/")["reason"] == "notCovered"


def test_no_caller_makes_an_extension_forget_everybody(device: Device) -> None:
    status, answer = device.post("/v1/requests", {"url": f"{BASE}/echo", "operation": "configurationRemoved"})
    assert status == 400 and "configurationRemoved" in answer["error"]
    assert device.post("/v1/requests", {"url": f"{BASE}/echo", "operation": "x" * 300})[0] == 400


def test_a_profile_that_cannot_be_read_for_a_moment_is_not_gone(device: Device) -> None:
    assert body_of(device.ask(f"{BASE}/count")).startswith("1 of 1")
    whole = (device.profiles / "acme.mobileconfig").read_bytes()
    device.install_profile(whole[: len(whole) // 2])
    wait_until(lambda: device.ask(f"{BASE}/page")["reason"] == "notCovered", 10, "half a profile covers nothing")
    device.install_profile(whole)
    wait_until(lambda: device.ask(f"{BASE}/page")["outcome"] == "response", 10, "it is whole again")
    assert "removed" not in device.program.log_text
    (device.profiles / "acme.mobileconfig").unlink()
    wait_until(lambda: "removed https://id.acme.test/realms/staff/" in device.program.log_text, 10, "now it is told")


def test_a_profile_that_was_issued_anew_signs_nobody_out(device: Device) -> None:
    """Under another UUID, with a URL more; at first beside the old one, which has the right to the other URL."""
    def install(name: str, *urls: str) -> None:
        device.install_profile(profile([payload("Redirect", strings("URLs", list(urls)), f"{name}.it")], name), name)

    def removals() -> list[str]:
        return [line.split("removed ")[1] for line in device.program.log_text.splitlines() if "removed http" in line]

    (device.profiles / "acme.mobileconfig").unlink()
    wait_until(removals, 10, "the extension is told")
    before = len(removals())
    install("old", f"{BASE}/")
    wait_until(lambda: device.ask(f"{BASE}/page")["outcome"] == "response", 10, "the old profile is there")
    install("new", f"{BASE}/", "https://saml.acme.test/adfs/ls/")
    wait_until(lambda: len(device.get("/v1/status")["profiles"]) == 2, 10, "the new one is beside it")
    (device.profiles / "old.mobileconfig").unlink()
    wait_until(lambda: len(device.get("/v1/status")["urls"]) == 2, 10, "the new one has its place")
    # The extension would have been told before this request.
    assert device.ask(f"{BASE}/page")["outcome"] == "response"
    assert removals()[before:] == []
    install("less", "https://saml.acme.test/other/")
    wait_until(lambda: len(device.get("/v1/status")["profiles"]) == 2, 10, "another one is beside it")
    (device.profiles / "new.mobileconfig").unlink()
    wait_until(lambda: removals()[before:], 10, "the extension is told")
    assert removals()[before:] == [f"{BASE}/"]


def test_one_process_cannot_take_all_connections(device: Device) -> None:
    idle = []
    for _ in range(300):
        connection = SocketConnection(device.socket)
        connection.connect()
        idle.append(connection)
    # Another process of the same user gets its answer.
    answer = subprocess.run(
        ["curl", "-s", "-m", "10", "--unix-socket", device.socket, "http://localhost/v1/match?url=https://x/"],
        capture_output=True, check=True).stdout
    assert json.loads(answer)["isCovered"] is False
    for connection in idle:
        connection.close()


def test_a_caller_that_reads_to_the_end_of_the_connection_gets_its_end(device: Device) -> None:
    old, new = b"HTTP/1.0\r\n", b"HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
    for question in (b"GET /v1/status " + head + b"\r\n" for head in (old, new)):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(5)
            connection.connect(str(device.socket))
            connection.sendall(question)
            answer = b""
            while part := connection.recv(65536):
                answer += part
        assert json.loads(answer.split(b"\r\n\r\n", 1)[1])["version"] == 1


LEAVES_ITS_CONNECTION = """
import json, os, socket, sys
peer = socket.socket(socket.AF_UNIX)
peer.connect(sys.argv[1])
if os.fork():
    os._exit(0)
sys.stdin.readline()
body = json.dumps({"url": sys.argv[2], "presentation": "none"}).encode()
head = f"POST /v1/requests HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\nContent-Length: {len(body)}\\r\\n\\r\\n"
peer.sendall(head.encode() + body)
answer = b""
while part := peer.recv(65536):
    answer += part
print(answer.split(b"\\r\\n\\r\\n", 1)[1].decode())
"""
LAST_NUMBER = Path("/proc/sys/kernel/ns_last_pid")


@pytest.mark.skipif(not os.access(LAST_NUMBER, os.W_OK), reason="takes a kernel that lets choose the next number")
def test_whoever_gets_the_number_of_a_caller_that_ended_lends_it_no_name(device: Device) -> None:
    if tuple(int(part) for part in os.uname().release.split(".")[:2]) < (6, 5):
        pytest.skip("before Linux 6.5 a socket tells the number alone")
    caller = subprocess.Popen(
        ["/usr/bin/python3", "-c", LEAVES_ITS_CONNECTION, device.socket, f"{BASE}/echo"], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True)
    caller.wait(10)
    other = None
    try:
        for _ in range(200):
            LAST_NUMBER.write_text(str(caller.pid - 1))
            other = subprocess.Popen(["/bin/sleep", "60"])
            if other.pid == caller.pid:
                break
            other.kill()
            other.wait()
        assert other.pid == caller.pid
        caller.stdin.write("go on\n")
        caller.stdin.close()
        outcome = json.loads(caller.stdout.read())
        assert outcome["reason"] == "callerUnknown" and outcome["outcome"] == "notHandled", outcome
        assert "sleep" not in json.dumps(device.get("/v1/log")[-1])
    finally:
        other.kill()
        other.wait()
        caller.stdout.close()


def test_an_extension_that_ends_at_once_is_named_in_the_log_and_not_to_callers(device: Device, tmp_path: Path) -> None:
    program = tmp_path / "not-a-program"
    program.write_text("this is nothing that can be run")
    program.chmod(0o755)
    device.install_extension(executable=str(program))
    outcome = wait_until(
        lambda: (outcome := device.ask(f"{BASE}/page"))["reason"] == "extensionFailedToStart" and outcome, 10,
        "the change is seen")
    assert str(program) not in json.dumps(outcome)
    assert str(program) in device.get("/v1/log")[-1]["detail"]
