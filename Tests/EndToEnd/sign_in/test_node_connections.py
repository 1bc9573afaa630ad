"""Node's own HTTP agent, which keeps connections for the next request unless the answer says that it is the last."""

import json

import pytest
from processes import run
from school import OpenSchool

SCRIPT = """
const http = require('http')
const [url, connection] = process.argv.slice(1)
const outcomes = []
function next() {
    if (outcomes.length === 40) return console.log(JSON.stringify(outcomes))
    const done = outcome => { outcomes.push(outcome); next() }
    const headers = connection ? {connection} : {}
    http.get(url, {headers}, answer => answer.resume().on('end', () => done(answer.statusCode)))
        .on('error', error => done(error.code))
}
next()
"""


@pytest.mark.parametrize("connection", ["close", "Close", "TE, close", "keep-alive", ""])
def test_forty_requests_in_a_row_are_all_answered(open_school: OpenSchool, connection: str) -> None:
    result = run("node", "--eval", SCRIPT, "--", f"{open_school.base_url}/auth/keys", connection)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == [200] * 40
