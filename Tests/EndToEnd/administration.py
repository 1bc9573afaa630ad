"""What an operator does on the command line, as functions for tests."""

from pathlib import Path

from lanyard_tool import Tool
from processes import LANYARD, run
from scene import RegisteredApp, Scene


def revoke_consent(scene: Scene) -> None:
    Tool(scene.folder).json("consent", "revoke", scene.app.client_id, "--yes", "--org", scene.organization_id)


def register_app(scene: Scene, team: str, name: str, client_id: str) -> RegisteredApp:
    """Makes a team with a key and an app, which the scene's organization allows."""
    tool = Tool(scene.folder)
    return_url = "http://127.0.0.1:1/callback"  # no server is needed there: the tests read the redirect
    scopes = ("edu.users.read", "edu.classes.read")
    tool.json("app", "team", "create", team)
    app = tool.json(
        "app", "create", name, "--team", team, "--client-id", client_id, "--return-url", return_url,
        *(part for scope in scopes for part in ("--scope", scope)), "--development")
    key_file = scene.folder / f"{client_id}.p8"
    key = tool.json("key", "create", name, "--team", team, "--out", key_file)["key"]
    tool.json("access", "allow", client_id, "--org", scene.organization_id)
    return RegisteredApp(
        name=app["name"], client_id=client_id, team_id=app["teamID"], key_id=key["keyID"],
        key_pem=key_file.read_text(), return_url=return_url, scopes=scopes)


def export(tool: Tool, organization_id: str, target: Path) -> dict[str, bytes]:
    """Exports the organization; returns the contents of the six files by name."""
    tool.text("export", target, "--org", organization_id)
    return {file.name: file.read_bytes() for file in sorted(target.glob("*.csv"))}


def sample(folder: Path, people: int, classes: int, members: int, seed: int = 1) -> Path:
    """Writes the six files of a made-up district."""
    result = run(
        LANYARD, "sample", "--people", people, "--classes", classes, "--members", members, "--seed", seed,
        "--out", folder)
    assert result.returncode == 0, result.stdout + result.stderr
    return folder
