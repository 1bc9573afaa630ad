"""The description of the administration API, read by programs of others: a validator, a tester that makes up requests,
and a generator of clients."""

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from administration_api import API
from openapi_spec_validator import OpenAPIV31SpecValidator

PROGRAMS = Path(sys.executable).parent


def test_the_description_is_valid(api: API) -> None:
    OpenAPIV31SpecValidator(api.document).validate()
    operations = {
        operation["operationId"] for path in api.document["paths"].values() for operation in path.values()}
    assert {"person.add", "person.add.bulk", "job.show", "change.undo"} <= operations


def test_made_up_requests_get_nothing_but_what_is_described(api: API, tmp_path: Path) -> None:
    """Thousands of requests, valid and not: no answer is a failure of the server, has a status or a form that the
    description lacks, or lets in what the description forbids."""
    (tmp_path / "schemathesis.toml").write_text(f"[parameters]\norganization = {json.dumps(api.organization)}\n")
    result = subprocess.run(
        [
            PROGRAMS / "st", "run", f"{api.base_url}/api/v1/openapi.json", "--seed", "7", "--no-color",
            "--header", f"Authorization: Bearer {api.token}", "--max-examples", "40", "--phases", "examples,fuzzing",
            "--checks", ",".join((
                "not_a_server_error", "status_code_conformance", "content_type_conformance",
                "response_schema_conformance", "negative_data_rejection", "unsupported_method")),
            # The first three would end the tester's own token sooner or later, and all that follows would be refused. The
            # others are the operator's alone, or no program's.
            *(word for name in (
                "api-client.revoke", "api-client.revoke.bulk", "change.undo", "erasure.replay", "domain.verify",
                "domain.verify.bulk", "organization.close", "organization.reopen", "signing-key.list",
                "signing-key.retire", "signing-key.rotate")
              for word in ("--exclude-operation-id", name)),
        ],
        cwd=tmp_path, capture_output=True, text=True, timeout=500)
    assert result.returncode == 0, result.stdout[-20_000:] + result.stderr[-2_000:]
    [count] = re.findall(r"([\d,]+) generated", result.stdout)
    assert int(count.replace(",", "")) >= 2_000, result.stdout[-3_000:]
    assert "Authentication failed" not in result.stdout, result.stdout[-3_000:]


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
