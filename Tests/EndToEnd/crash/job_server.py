"""A server that is killed in the middle of a job and started again, and a program that gives it jobs."""

import re
from collections.abc import Callable
from typing import Any

import requests
from lanyard_tool import Tool
from processes import LANYARD, Program, free_port


class JobServer:
    """A server that is killed and started again, and a program with these privileges that gives it jobs."""

    def __init__(self, tool: Tool, *privileges: str):
        self.tool = tool
        self.port = free_port()
        self.program: Program | None = None
        made = tool.json(
            "api-client", "add", "Worker", *(word for name in privileges for word in ("--privilege", name)))
        self.client = made["client"]["clientID"], made["secret"]
        self.token: dict[str, Any] = {}

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> Program:
        program = Program(
            LANYARD, "serve", "--port", self.port, "--development", "--log-level", "warning", *self.tool.place(),
            log=self.tool.data / "serve.log")
        self.program = program
        program.wait_until(
            lambda: re.search(r"^Lanyard is ready at ", program.log_text, re.MULTILINE), 30, "the server is ready")
        if not self.token:
            self.token = requests.post(
                f"{self.base_url}/api/v1/token", auth=self.client, timeout=60,
                data={"grant_type": "client_credentials"}).json()
        return program

    def stop(self) -> None:
        if self.program:
            self.program.stop()

    def send(self, method: str, path: str, status: int, **options: Any) -> Any:
        answer = requests.request(
            method, f"{self.base_url}/api/v1/organizations/{self.token['organization']}/{path}", timeout=30,
            headers={"Authorization": f"Bearer {self.token['access_token']}"}, **options)
        assert answer.status_code == status, answer.text
        return answer.json()

    def ended(self, job: str) -> Callable[[], dict[str, Any] | None]:
        def record() -> dict[str, Any] | None:
            found = self.send("GET", f"jobs/{job}", 200)
            return found if found["state"] in ("done", "failed") else None
        return record

    def let_leases_end(self) -> None:
        """As if the minute had passed in which the job still counts as the dead server's."""
        self.tool.execute("UPDATE administration_job SET leased_until = NULL WHERE ended_at IS NULL")
