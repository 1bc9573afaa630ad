"""The description of the administration API, read by programs of others: a validator, a tester that makes up requests,
and a generator of clients."""

import hashlib
import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from administration_api import API
from database import execute
from openapi_spec_validator import OpenAPIV31SpecValidator

PROGRAMS = Path(sys.executable).parent


def test_the_description_is_valid(api: API) -> None:
    OpenAPIV31SpecValidator(api.document).validate()
    operations = {
        operation["operationId"] for path in api.document["paths"].values() for operation in path.values()}
    assert {"person.add", "person.add.bulk", "job.show", "change.undo"} <= operations


def made_up_requests(api: API, folder: Path, token: str, parameters: dict[str, str], *options: str) -> str:
    """Sends thousands of requests, valid and not: no answer is a failure of the server, has a status or a form that the
    description lacks, or lets in what the description forbids.

    Returns what the tester says."""
    (folder / "schemathesis.toml").write_text(
        "[parameters]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in parameters.items()))
    result = subprocess.run(
        [
            PROGRAMS / "st", "run", f"{api.base_url}/api/v1/openapi.json", "--seed", "7", "--no-color",
            "--header", f"Authorization: Bearer {token}", "--max-examples", "40", "--phases", "examples,fuzzing",
            "--checks", ",".join((
                "not_a_server_error", "status_code_conformance", "content_type_conformance",
                "response_schema_conformance", "negative_data_rejection", "unsupported_method")),
            *options,
        ],
        cwd=folder, capture_output=True, text=True, timeout=500)
    assert result.returncode == 0, result.stdout[-20_000:] + result.stderr[-2_000:]
    return result.stdout


def operations_of_teams(api: API) -> list[str]:
    """What members of teams do, and no program."""
    return [
        operation["operationId"] for path, operations in api.document["paths"].items()
        if not path.startswith("/api/v1/organizations/") for operation in operations.values()]


def each(option: str, names: Iterable[str]) -> list[str]:
    return [word for name in names for word in (option, name)]


def test_made_up_requests_get_nothing_but_what_is_described(api: API, tmp_path: Path) -> None:
    # The first three would end the tester's own token sooner or later, and all that follows would be refused. The
    # others are the operator's alone, or no program's.
    excluded = [
        "api-client.revoke", "api-client.revoke.bulk", "change.undo", "erasure.replay", "domain.verify",
        "domain.verify.bulk", "organization.close", "organization.reopen", "signing-key.list", "signing-key.retire",
        "signing-key.rotate", *operations_of_teams(api)]
    said = made_up_requests(
        api, tmp_path, api.token, {"organization": api.organization}, *each("--exclude-operation-id", excluded))
    [count] = re.findall(r"([\d,]+) generated", said)
    assert int(count.replace(",", "")) >= 2_000, said[-3_000:]
    assert "Authentication failed" not in said, said[-3_000:]


def test_made_up_requests_about_teams_get_nothing_but_what_is_described(api: API, tmp_path: Path) -> None:
    tool = api.school.school.tool
    api.school.school.register("Quizzler", "com.example.quizzler")
    developer = api.school.newcomer().account.username
    tool.json("app", "team", "add-member", "Quizzler Inc.", developer)
    token = "the-token-of-a-developer"
    execute(
        tool.file,
        """
        INSERT INTO api_token (token_hash, person_id, sign_in_version, privileges, expires_at)
        SELECT ?, id, sign_in_version, 'apps.manage teams.join teams.manage', 4102444800 FROM person WHERE user_name = ?
        """, hashlib.sha256(token.encode()).digest(), developer)
    # These rename or remove what the others are about.
    included = [name for name in operations_of_teams(api) if name not in {"team.rename", "app.set", "team.change.undo"}]
    said = made_up_requests(
        api, tmp_path, token, {"team": "Quizzler Inc.", "app": "com.example.quizzler", "client": "com.example.quizzler"},
        *each("--include-operation-id", included))
    [count] = re.findall(r"([\d,]+) generated", said)
    assert int(count.replace(",", "")) >= 500, said[-3_000:]


@pytest.fixture
def client(api: API, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The client that a generator has made of the description, as a module; its folder is gone after the test."""
    result = subprocess.run(
        [PROGRAMS / "openapi-python-client", "generate", "--url", f"{api.base_url}/api/v1/openapi.json", "--meta", "none",
         "--output-path", tmp_path / "generated_client"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "WARNING" not in result.stdout + result.stderr, result.stdout + result.stderr
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("generated_client")
    for name in [name for name in sys.modules if name.partition(".")[0] == "generated_client"]:
        del sys.modules[name]


def test_a_generated_client_leads_a_pupil_through_a_year(api: API, client: Any) -> None:
    """Made, given a password, found, changed on the version that was seen, deactivated, and taken back."""
    signed_in = client.AuthenticatedClient(base_url=api.base_url, token=api.token)

    def call(name: str, *path: Any, body: dict[str, Any] | None = None, **inputs: Any) -> Any:
        module = importlib.import_module(f"generated_client.api.default.{name}")
        if body is not None:
            [model] = [
                value for key, value in vars(module).items()
                if key.endswith("Body") and getattr(value, "__module__", "").startswith("generated_client.models")]
            inputs["body"] = model.from_dict(body)
        return module.sync_detailed(api.organization, *path, client=signed_in, **inputs)

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
    assert call("person_role_add", "zoe@maple.example", body=role, if_match=f'"{stale.parsed.version}"').status_code == 200
    left = call("person_deactivate", "zoe@maple.example").parsed
    assert call("person_show", "zoe@maple.example").parsed.state == "deactivated"
    assert call("change_undo", left.change).status_code == 200
    assert call("person_show", "zoe@maple.example").parsed.state == "new"
    missing = call("person_show", "nobody@maple.example")
    assert missing.status_code == 404 and missing.parsed.subject_kind == "person"
