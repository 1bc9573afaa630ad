"""The description of the administration API, read by programs of others: a validator, a tester that makes up requests,
and a generator of clients."""

import base64
import importlib
import io
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from administration_api import API
from command_line.test_imports import FILES, write
from openapi_spec_validator import OpenAPIV31SpecValidator
from processes import wait_until

PROGRAMS = Path(sys.executable).parent
Call = Callable[..., Any]


def test_the_description_is_valid(api: API) -> None:
    OpenAPIV31SpecValidator(api.document).validate()
    assert {"person.add", "person.add.bulk", "job.show", "change.undo"} <= operations(api)


def operations(api: API) -> set[str]:
    return {operation["operationId"] for path in api.document["paths"].values() for operation in path.values()}


# A generated client. These tests come first, as the others fill the school with what they make up.


@pytest.fixture(scope="module")
def call(api: API, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Call]:
    """Calls an operation by its name, with the client that a generator has made of the description; its folder is gone
    after the tests."""
    folder = tmp_path_factory.mktemp("client")
    # Whether the client is formatted nobody asks, and it would take longer than making it.
    (folder / "settings.json").write_text('{"post_hooks": []}')
    result = subprocess.run(
        [
            PROGRAMS / "openapi-python-client", "generate", "--url", f"{api.base_url}/api/v1/openapi.json",
            "--meta", "none", "--output-path", folder / "generated_client", "--config", folder / "settings.json",
        ],
        cwd=folder, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "WARNING" not in result.stdout + result.stderr, result.stdout + result.stderr

    def call(name: str, *path: Any, body: dict[str, Any] | None = None, **inputs: Any) -> Any:
        module = importlib.import_module(f"generated_client.api.default.{name}")
        if body is not None:
            [model] = [
                value for key, value in vars(module).items()
                if key.endswith("Body") and getattr(value, "__module__", "").startswith("generated_client.models")]
            inputs["body"] = model.from_dict(body)
        return module.sync_detailed(api.organization, *path, client=signed_in, **inputs)

    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        client = importlib.import_module("generated_client")
        signed_in = client.AuthenticatedClient(base_url=api.base_url, token=api.token)
        yield call
    for name in [name for name in sys.modules if name.partition(".")[0] == "generated_client"]:
        del sys.modules[name]


def test_a_generated_client_leads_a_pupil_through_a_year(call: Call) -> None:
    """Made, given a password, found, changed on the version that was seen, deactivated, and taken back."""
    pupil = {"firstName": "Zoë", "lastName": "김", "userName": "zoe@maple.example", "role": "student", "grade": "4"}
    preview = call("person_add", body=pupil, dry_run=True).parsed
    assert preview.counts["person.created"] == 1
    key = "a-key-that-is-made-up"
    made, again = (call("person_add", body=pupil, idempotency_key=key).parsed for _ in range(2))
    assert made.result.number == again.result.number and made.change == again.change
    assert call("person_password", "zoe@maple.example").parsed.result.password
    found = call("person_list", text="zoë", limit=10).parsed.people
    assert [person.last_name for person in found] == ["김"]

    role = {"role": "staff"}
    stale = call("person_role_add", "zoe@maple.example", body=role, if_match='"of-before"')
    assert stale.status_code == 412 and stale.parsed.version == found[0].version
    present = f'"{stale.parsed.version}"'
    assert call("person_role_add", "zoe@maple.example", body=role, if_match=present).status_code == 200
    left = call("person_deactivate", "zoe@maple.example").parsed
    assert call("person_show", "zoe@maple.example").parsed.state == "deactivated"
    assert call("change_undo", left.change).status_code == 200
    assert call("person_show", "zoe@maple.example").parsed.state == "new"
    missing = call("person_show", "nobody@maple.example")
    assert missing.status_code == 404 and missing.parsed.subject_kind == "person"


def add_pupil(call: Call, name: str) -> str:
    """Returns the user name."""
    user_name = f"{name.lower()}.fox@maple.example"
    body = {"firstName": name, "lastName": "Fox", "userName": user_name, "email": user_name, "grade": "7"}
    assert call("person_add", body=body | {"role": "student"}).status_code == 200
    return user_name


def done(call: Call, begun: Any) -> Any:
    """The answer of a change that goes on by itself."""
    assert begun.status_code == 202, begun.content

    def ended() -> Any:
        found = call("job_show", begun.parsed.job).parsed
        return found if found.state in ("done", "failed") else None

    record = wait_until(ended, 60, "the job is done")
    assert record.state == "done", record
    return record.answer


def test_a_generated_client_gives_a_class_passwords_and_ends_its_term(call: Call) -> None:
    pupils = [add_pupil(call, name) for name in ("Mina", "Tim")]
    made = call("class_add", body={"name": "Chess club", "students": pupils}).parsed.result
    assert [member.user_name for member in made.students] == pupils

    passwords = done(call, call("person_passwords", body={"class": "Chess club"}))
    assert {person["userName"] for person in passwords["result"]["people"]} == set(pupils)

    term = {"name": "Autumn", "firstDay": "2026-08-17", "lastDay": "2027-01-29"}
    assert call("term_add", body=term).status_code == 200
    assert call("class_edit", "Chess club", body={"term": "Autumn"}).status_code == 200
    preview = call("term_close", "Autumn", dry_run=True).parsed
    assert preview.counts["class.changed"] == 1 and "1 class archived" in preview.effects[-1].detail
    closed = call("term_close", "Autumn").parsed
    assert closed.result.closed_at and call("class_show", "Chess club").parsed.archived_at
    assert call("change_undo", closed.change).status_code == 200
    assert call("class_archive", "Chess club").status_code == 200
    assert [found.name for found in call("class_list", archived=True).parsed.classes] == ["Chess club"]
    assert call("class_restore", "Chess club").status_code == 200
    refused = call("class_remove", "Chess club")
    assert refused.status_code == 409 and refused.parsed.remedy.operation == "class.archive"


def test_a_generated_client_moves_ids_and_takes_that_back(call: Call) -> None:
    pupil = add_pupil(call, "Ines")
    assert call("person_edit", pupil, body={"personID": "old-1"}).status_code == 200
    map_ = {"moves": [{"kind": "person", "old": "old-1", "new": "new-1"}]}
    [line] = call("id_map_guess", body=map_).parsed.result.lines
    assert (line.old, line.certainty, [candidate.new for candidate in line.candidates]) == ("old-1", "sure", ["new-1"])
    applied = call("id_map_apply", body=map_).parsed
    assert call("person_show", "new-1").parsed.user_name == pupil
    wrong = call("id_map_apply", body=map_)
    assert wrong.status_code == 422 and [item.index for item in wrong.parsed.items] == [0]
    assert call("id_map_undo", str(applied.result.to_dict()["map"])).status_code == 200
    assert call("person_show", pupil).parsed.person_id == "old-1"


def test_a_generated_client_decides_what_an_app_sees_and_who_has_read(api: API, call: Call) -> None:
    pupil, left_out = add_pupil(call, "Nora"), add_pupil(call, "Omar")
    api.school.school.register("Rosters", "com.example.rosters", scopes=("edu.users.read", "edu.classes.read"))
    app = "com.example.rosters"
    rules = {"roles": ["Student"], "withheld": ["email"]}
    preview = call("sharing_set", app, body=rules, dry_run=True).parsed
    assert preview.counts["sharing.changed"] == 1 and preview.counts["sharing.hidden"] >= 1
    assert call("sharing_show", app).parsed.withheld == []
    assert call("sharing_set", app, body=rules).status_code == 200
    assert call("sharing_leave_out", app, body={"people": [left_out]}).status_code == 200
    shown = call("sharing_show", app).parsed
    assert (shown.withheld, [one.user_name for one in shown.left_out]) == (["email"], [left_out])
    view = call("sharing_view_as", app, call="users").parsed
    users = json.loads(view.body)["users"]
    assert not view.may_read and users and not any("email" in user for user in users)
    names = {user["givenName"] for user in users}
    assert "Nora" in names and "Omar" not in names
    assert call("person_why", pupil, app=app).parsed.roster.reason == "not-listed-for-data-sharing"
    assert call("access_data_sharing_allow", body={"app": app}).status_code == 200
    assert call("person_why", pupil, app=app).parsed.roster.reason == "not-connected"

    entries = call("audit_list", action="sharing", limit=100).parsed.entries
    assert {entry.action for entry in entries} >= {"sharing.changed", "sharing.hidden"}
    assert {entry.actor for entry in entries} == {f"client:{api.client_id}"}
    readings = call("audit_readers", pupil).parsed.readings
    assert {reading.reader for reading in readings} == {f"client:{api.client_id}"}


def test_a_generated_client_tells_keeps_and_erases_a_person(call: Call) -> None:
    pupil = add_pupil(call, "Tom")
    known = call("person_data", pupil).parsed
    sections = [section.name for section in known.sections]
    assert all(name in sections for name in ("account", "roles", "history"))

    due = call("retention_due", "left-people", days=730).parsed
    assert due.people == [] and due.days == 730
    preview = call("retention_set", "left-people", body={"days": 730}, dry_run=True).parsed
    assert preview.counts["retention.changed"] == 1
    assert not [rule for rule in call("retention_list").parsed.rules if rule.days]
    assert call("retention_set", "left-people", body={"days": 730}).parsed.result.days == 730
    assert call("retention_set", "left-people", body={}).status_code == 200

    hold = call("hold_add", body={"person": pupil, "reason": "An insurance asks", "until": "2990-12-31"}).parsed.result
    refused = call("person_erase", pupil, dry_run=True)
    assert refused.status_code == 409 and f"legal hold {hold.hold}" in refused.parsed.detail
    assert call("hold_end", str(hold.hold)).status_code == 200
    assert not call("hold_list").parsed.holds[0].is_in_force

    assert call("person_erase", pupil).status_code == 422
    preview = call("person_erase", pupil, dry_run=True).parsed
    assert call("person_erase", pupil, if_match='"of-before"').status_code == 412
    erased = call("person_erase", pupil, if_match=f'"{preview.version}"').parsed.result
    assert call("person_show", pupil).status_code == 404
    assert [erasure.number for erasure in call("erasure_list").parsed.erasures] == [erased.number]


def test_a_generated_client_corrects_names_and_records(call: Call) -> None:
    wrong, twice = add_pupil(call, "Lina"), add_pupil(call, "Linah")
    renamed = call("person_rename", wrong, body={"userName": "lina.wolf@maple.example", "keepDays": 30}).parsed
    assert renamed.result.user_name == "lina.wolf@maple.example"
    assert [former.user_name for former in renamed.result.former_user_names] == [wrong]

    preview = call("person_merge", "lina.wolf@maple.example", body={"other": twice}, dry_run=True).parsed
    assert preview.counts["person.changed"] == 1 and call("person_show", twice).status_code == 200
    merged = call("person_merge", "lina.wolf@maple.example", body={"other": twice})
    assert merged.status_code == 200
    assert call("person_show", twice).parsed.state == "deactivated"

    waits = call("person_unlock", "lina.wolf@maple.example")
    assert waits.status_code == 409 and "Nobody has to wait" in waits.parsed.detail
    ended = call("person_sign_out", "lina.wolf@maple.example", body={"devices": True}).parsed.result
    assert (ended.sessions, ended.devices) == (0, 0)
    assert call("person_deactivate", "lina.wolf@maple.example").status_code == 200
    back = call("person_reactivate", "lina.wolf@maple.example").parsed
    assert back.result.state != "deactivated"


def zipped(folder: Path) -> str:
    """The files of a folder, as the API takes them."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        for part in folder.iterdir():
            file.write(part, part.name)
    return base64.b64encode(archive.getvalue()).decode()


def test_a_generated_client_imports_compares_and_takes_that_back(call: Call, tmp_path: Path) -> None:
    pupils = FILES["students"]
    later = [line.replace("Pupil", "Student") if index == 3 else line for index, line in enumerate(pupils)]
    first, second = write(tmp_path / "first"), write(tmp_path / "second", students=later)
    plan = call("import_run", body={"archive": zipped(first)}, dry_run=True).parsed
    assert plan.counts["roster.imported"] == 1
    applied = call("import_run", body={"archive": zipped(first)}).parsed.result
    assert applied.outcome == "applied"
    changed = call("import_run", body={"archive": zipped(second)}).parsed.result
    assert changed.outcome == "applied" and changed.counts.students.changed == 1
    difference = call("import_compare", str(changed.import_id), from_=str(applied.import_id)).parsed
    [row] = difference.rows
    assert (row.file, row.kind) == ("students", "changed")
    assert [(column.name, column.before, column.after) for column in row.columns] == [("first_name", "Pupil", "Student")]
    for number in (changed.import_id, applied.import_id):
        done(call, call("import_undo", str(number)))
    left = call("person_list", text="pupil number", limit=100).parsed.people
    assert left and {person.state for person in left} == {"deactivated"}


def test_a_generated_client_ends_and_renews_a_consent_and_takes_the_trail_along(api: API, call: Call) -> None:
    head = api.school.school.add(
        api.base_url, "managed", "Ida Berg", "ida.berg@maple.example", "--role", "administrator").account
    api.school.connect("Ledger", "com.example.ledger", head)
    assert "com.example.ledger" in [consent.client_id for consent in call("consent_list", only_alive=True).parsed.consents]
    limited = call("consent_limit", "com.example.ledger", body={"lastDay": "2990-06-30"}).parsed.result
    assert limited.last_day == "2990-06-30"
    renewed = call("consent_renew", "com.example.ledger", body={"lastDay": "2991-06-30"}).parsed.result
    assert renewed.last_day == "2991-06-30"
    revoked = call("consent_revoke", "com.example.ledger")
    assert revoked.status_code == 200, revoked.content
    # Closing the school is for people alone.
    assert call("organization_close", body={}, dry_run=True).status_code == 403

    # Page by page, each beginning where the one before has ended.
    numbers, place = [], {}
    while True:
        page = call("audit_export", limit=50, **place).parsed
        numbers += [entry.number for entry in page.entries]
        if not isinstance(page.next_, int):
            break
        place = {"after": page.next_, "through": page.last}
    assert numbers == sorted(set(numbers)) and len(numbers) > 10


# Requests that are made up.


def made_up_requests(
    api: API, folder: Path, token: str, settings: list[str], *options: str
) -> tuple[str, set[str]]:
    """Sends thousands of requests, valid and not: no answer is a failure of the server, has a status or a form that the
    description lacks, or lets in what the description forbids.

    Returns what the tester says, and which operations have done what they were asked at least once."""
    (folder / "schemathesis.toml").write_text("\n".join(
        [f"hooks = {json.dumps(str(Path(__file__).with_name('noted_answers.py')))}", *settings]))
    result = subprocess.run(
        [
            PROGRAMS / "st", "run", f"{api.base_url}/api/v1/openapi.json", "--seed", "7", "--no-color",
            "--header", f"Authorization: Bearer {token}", "--phases", "examples,fuzzing",
            "--checks", ",".join((
                "not_a_server_error", "status_code_conformance", "content_type_conformance",
                "response_schema_conformance", "negative_data_rejection")),
            *options,
        ],
        cwd=folder, capture_output=True, text=True, timeout=500)
    assert result.returncode == 0, result.stdout[-20_000:] + result.stderr[-2_000:]
    answers = [json.loads(line) for line in (folder / "answers.jsonl").read_text().splitlines()]
    return result.stdout, {operation for operation, status in answers if 200 <= status < 300}


def generated(said: str) -> int:
    """How many requests were made up."""
    [count] = re.findall(r"([\d,]+) generated", said)
    return int(count.replace(",", ""))


def table(name: str, values: dict[str, Any]) -> list[str]:
    """A table of TOML."""
    return [f"[{name}]", *(f"{json.dumps(key)} = {value_text(value)}" for key, value in values.items())]


def value_text(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {value_text(inner)}" for key, inner in value.items()) + "}"
    return json.dumps(value)


def operations_of_teams(api: API) -> list[str]:
    """What members of teams do, and no program."""
    return [
        operation["operationId"] for path, operations in api.document["paths"].items()
        if not path.startswith("/api/v1/organizations/") for operation in operations.values()]


def each(option: str, names: Iterable[str]) -> list[str]:
    return [word for name in names for word in (option, name)]


def test_made_up_requests_about_teams_get_nothing_but_what_is_described(api: API, tmp_path: Path) -> None:
    api.school.school.register("Quizzler", "com.example.quizzler")
    token = api.token_of_developer("Quizzler Inc.")
    # These rename or remove what the others are about, and come last.
    later = {"team.rename", "app.set", "team.change.undo"}
    included = [name for name in operations_of_teams(api) if name not in later]
    settings = table("generation", {"max-examples": 25}) + table("parameters", {
        "team": "Quizzler Inc.", "app": "com.example.quizzler", "client": "com.example.quizzler"})
    said, _ = made_up_requests(api, tmp_path, token, settings, *each("--include-operation-id", included))
    assert generated(said) >= 500, said[-3_000:]
    made_up_requests(api, tmp_path, token, settings, *each("--include-operation-id", sorted(later)))


# What no request that is made up can do, with the reason.
IMPOSSIBLE = {
    "audit.anchor": "a timestamp authority has to have signed",
    "device.remove": "a device registers itself with a key of its own",
    "device.show": "a device registers itself with a key of its own",
    "domain.prove": "it would ask name servers of the Internet, so it gets a domain that the school does not have",
    "erasure.acknowledge": "an app has to have known the person",
}


def furnish(api: API, folder: Path) -> dict[str, Any]:
    """Makes what the requests are about. Returns the names by which they find it."""
    tool = api.school.school.tool
    head = api.school.school.add(
        api.base_url, "managed", "Chen Wei", "chen.wei@maple.example", "--role", "administrator").account
    api.school.connect("Atlas", "com.example.atlas", head)
    tool.json("org", "location", "add", "Maple High", "--location-id", "high")
    tool.json("org", "domain", "add", "pupils.maple.example")
    tool.json("import", write(folder / "first"))
    # So few that it is not held.
    pupils = FILES["students"]
    later = [line.replace("Pupil", "Student") if index in (3, 4) else line for index, line in enumerate(pupils)]
    tool.json("import", write(folder / "second", students=later))
    held = {"archive": zipped(folder / "first"), "hold": True}
    assert api.send("POST", "imports", json=held).json()["result"]["outcome"] == "held"
    teacher = ("person", "add", "--first-name", "Robin", "--role", "instructor", "--at", "high", "--last-name")
    people = [tool.json(*teacher, f"Lee {index}")["number"] for index in range(8)]
    classes = [
        tool.json("class", "add", name, "--at", "high")["number"] for name in ("Robotics", "Choir", "Old choir")]
    tool.text("class", "archive", f"CL-{classes[2]}")
    for name, first_day, last_day in (("First", "2026-08-17", "2027-01-29"), ("Second", "2027-02-01", "2027-07-02")):
        tool.json("term", "add", name, "--first-day", first_day, "--last-day", last_day)
    tool.json("person", "merge", f"PE-{people[6]}", f"PE-{people[7]}")
    tool.json("person", "set", f"PE-{people[5]}", "--person-id", "former")
    (folder / "map.csv").write_text("type,old_id,new_id\nperson,former,present\n")
    pick_ups = [
        api.send("POST", "pick-ups", json={"hour": 2} | school).json()["result"]["pickUp"]
        for school in ({}, {"school": "high"})]
    other = tool.json("api-client", "add", "Other", "--privilege", "people.read")["client"]["clientID"]
    change = api.send("POST", f"people/PE-{people[0]}/edit", json={"middleName": "Quinn"}).json()["change"]
    job = api.send(
        "POST", f"people/PE-{people[0]}/sign-out", headers={"Prefer": "respond-async"}, json={}).json()["job"]
    return {
        "people": [f"PE-{number}" for number in people], "classes": [f"CL-{number}" for number in classes],
        "hold": str(tool.json("hold", "add", "--reason", "Audit", "--until", "2990-12-31")["hold"]),
        "map": str(tool.json("id-map", "apply", folder / "map.csv")["result"]["map"]),
        "pick-ups": pick_ups, "job": job, "client": other, "change": str(change),
    }


def settings_of_school(api: API, found: dict[str, Any]) -> list[str]:
    """With these the requests are about what is there, and what they change for good is nothing that others need."""
    people, classes, others = found["people"], found["classes"], found["people"][2:5]
    # In bodies most values are those that are there, and the others made up.
    bodies = {
        "person": others, "people[*]": others, "students[*]": others, "instructors[*]": others,
        "addStudents[*]": others, "removeStudents[*]": others, "class": classes[:2], "classes[*]": classes[:1],
        "at": ["high"], "location": ["high"], "locations[*]": ["high"], "school": ["high"], "schools[*]": ["high"],
        "term": ["First"], "app": ["com.example.atlas"], "firstName": ["Zoë"], "lastName": ["O’Neill"],
        "middleName": ["B."], "name": ["Chess", "김"], "displayName": ["Chess"], "email": ["made-up@maple.example"],
        "userName": [f"made.up.{index}@maple.example" for index in range(20)], "timeZone": ["Europe/Berlin"],
        "personID": ["X-1", "X-2"], "classID": ["Y-1", "Y-2"], "locationID": ["Z-1", "Z-2"], "reason": ["Audit"],
        "until": ["2990-12-31"], "firstDay": ["2027-08-16"], "lastDay": ["2099-07-02"], "days": [730], "hour": [3],
        "keepDays": [30], "client": [found["client"]], "ends": ["year", "unlimited"], "domain": [f"made-up-{index}.example" for index in range(20)],
    }
    dictionaries = {name.replace("[*]", "-each"): values for name, values in bodies.items()}
    bindings = {
        f"body.{prefix}{name}": {"dictionary": name.replace("[*]", "-each"), "probability": 0.7}
        for name in bodies for prefix in ("", "items[*].")}
    fixed = {
        "path.organization": api.organization, "path.person": people[0], "path.class": classes[0],
        "path.location": "high", "path.term": "First", "path.app": "com.example.atlas", "path.kind": "left-people",
        "path.role": "instructor", "path.hold": found["hold"], "path.map": found["map"], "path.import": "2",
        "path.client": found["client"], "path.change": found["change"], "path.pickUp": found["pick-ups"][0],
        "path.job": found["job"], "path.domain": "maple.example",
        # Any version: what one that is made up leads to, the requests about teams show.
        "header.If-Match": "*",
    }
    # Whoever is deactivated, merged or removed is nobody of the others.
    own = {
        "person.deactivate": {"path.person": people[1]}, "person.reactivate": {"path.person": people[1]},
        "person.erase": {"path.person": people[1]},
        "person.role.remove": {"path.person": people[4], "query.at": "high"},
        "person.merge": {"path.person": people[2], "body.other": people[3]},
        "person.separate": {"path.person": people[6], "body.other": people[7]},
        "person.why": {"query.app": "com.example.atlas"},
        "class.archive": {"path.class": classes[1]}, "class.restore": {"path.class": classes[1]},
        "class.remove": {"path.class": classes[2]}, "term.edit": {"path.term": "Second"},
        "domain.prove": {"path.domain": "nobody.example"}, "domain.remove": {"path.domain": "pupils.maple.example"},
        "import.compare": {"query.from": "1"}, "import.discard": {"path.import": "held"},
        "pick-up.remove": {"path.pickUp": found["pick-ups"][1]}, "sharing.view-as": {"query.call": "users"},
    }
    lines = table("generation", {"max-examples": 25}) + table("parameters", fixed | bindings)
    for name, values in dictionaries.items():
        lines += table(f"dictionaries.{json.dumps(name)}", {"values": values})
    for name, values in own.items():
        lines += ["[[operations]]", f"include-operation-id = {json.dumps(name)}", f"parameters = {value_text(values)}"]
    # The form for many has the inputs of the form for one, once more; each job of passwords hashes those of everybody.
    for pattern, count in ((r"\.bulk$", 12), (r"^person\.passwords$", 8)):
        lines += [
            "[[operations]]", f"include-operation-id-regex = {json.dumps(pattern)}",
            f"generation = {value_text({'max-examples': count})}"]
    return lines


def test_made_up_requests_get_nothing_but_what_is_described(api: API, tmp_path: Path) -> None:
    # They are the operator's alone, or people's, and no program's.
    excluded = {
        "erasure.replay", "domain.verify", "domain.verify.bulk", "organization.close", "organization.reopen",
        "signing-key.list", "signing-key.retire", "signing-key.rotate", *operations_of_teams(api)}
    settings = settings_of_school(api, furnish(api, tmp_path))
    said, done = made_up_requests(
        api, tmp_path, api.token, settings, *each("--exclude-operation-id", sorted(excluded)))
    assert generated(said) >= 2_000, said[-3_000:]
    assert "Authentication failed" not in said, said[-3_000:]
    # Where all are refused before anything is done, the checks say little.
    asked = operations(api) - excluded
    assert IMPOSSIBLE.keys() <= asked - done
    idle = asked - done - IMPOSSIBLE.keys()
    assert len(idle) <= len(asked) // 5, sorted(idle)
