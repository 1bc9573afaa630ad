"""Hooks of the program that makes up requests: each status with which an operation has answered is noted once, in
`answers.jsonl` in the present folder."""

import json
from pathlib import Path
from typing import Any

import schemathesis

NOTED: set[tuple[str, int]] = set()


@schemathesis.hook
def after_call(context: Any, case: Any, response: Any) -> None:
    answer = (case.operation.definition.raw["operationId"], response.status_code)
    if answer not in NOTED:
        NOTED.add(answer)
        with Path("answers.jsonl").open("a") as file:
            file.write(json.dumps(answer) + "\n")
