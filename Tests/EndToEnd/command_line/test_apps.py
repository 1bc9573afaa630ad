"""`lanyard app` and `lanyard key`."""

import subprocess
from pathlib import Path

import pytest
from command_line.conftest import District, Quizzler
from sample_png import write_png


def test_an_app_is_shown_with_all_that_was_registered(maple: District, quizzler: Quizzler) -> None:
    shown = maple.tool.json("app", "show", "Quizzler")
    assert shown.pop("createdAt") and shown.pop("version")
    assert shown == {
        "name": "Quizzler", "localizedNames": [], "clientIDs": ["com.example.quizzler"], "teamID": quizzler.team_id,
        "teamName": "Quizzler Inc.", "scopes": ["edu.classes.read", "edu.users.read"],
        "domains": [], "returnURLs": [quizzler.return_url], "notificationURL": "https://quizzler.example/notifications",
        "connectedOrganizations": 0, "signOutURLs": [], "people": 0, "requiresPKCE": False,
        "logoutNeedsSession": False, "asksEveryTime": False,
        "clients": [{"clientID": "com.example.quizzler", "authentication": "key", "signingAlgorithm": "RS256"}],
    }
    assert maple.tool.json("app", "show", quizzler.client_id)["name"] == "Quizzler"
    assert [app["name"] for app in maple.tool.json("app", "list")["apps"]] == ["Quizzler"]
    assert "no app “Elm”" in maple.tool.failure("app", "show", "Elm")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--return-url", "http://quizzler.example/callback"], "https://"),
        (["--return-url", "https://192.0.2.1/callback"], "IP address"),
        (["--return-url", "https://quizzler.example/#x"], "fragment"),
        (["--return-url", "http://127.0.0.1/callback"], "must begin with https://"),
        (["--notification-url", "http://quizzler.example/n"], "https://"),
        (["--notification-url", "https://quizzler.example"], "path"),
        (["--notification-url", "http://127.0.0.1/n"], "--development"),
        (["--notification-url", "https://localhost/n"], "--development"),
        (["--notification-url", "https://metadata.google.internal/n"], "private network"),
        (["--return-url", "https://quizzler.example/cb?code=PLANTED"], "has “code”"),
        (["--domain", "*.quizzler.example"], "name each subdomain"),
        (["--domain", "192.0.2.1"], "IP address"),
        (["--domain", "https://quizzler.example"], "the host alone"),
        (["--domain", "x" * 500], "longer than 253"),
        ([word for number in range(101) for word in ("--domain", f"s{number}.example")], "100 domains at most"),
        (["--domain", "rival.example", "--return-url", "https://quizzler.example/callback"], "lack quizzler.example"),
        (["--client-id", "com.example.quizzler"], "belongs to another app"),
        (["--team", "Elm"], "no team “Elm”"),
    ])
def test_an_app_that_breaks_a_rule_is_not_registered(
    maple: District, quizzler: Quizzler, options: list[str], complaint: str
) -> None:
    message = maple.tool.failure(
        "app", "create", "Other", "--client-id", "com.example.other", "--scope", "edu.users.read", *options)
    assert complaint in message
    assert len(maple.tool.json("app", "list")["apps"]) == 1


def test_a_development_app_takes_http_on_loopback(maple: District, quizzler: Quizzler) -> None:
    app = maple.tool.json(
        "app", "create", "Local", "--client-id", "com.example.local", "--scope", "edu.users.read", "--development",
        "--return-url", "http://127.0.0.1:8081/callback", "--notification-url", "http://localhost:8081/n")
    assert app["returnURLs"] == ["http://127.0.0.1:8081/callback"]


def test_a_scope_that_is_none_is_wrong_usage(maple: District, quizzler: Quizzler) -> None:
    message = maple.tool.usage_error("app", "create", "Other", "--client-id", "x", "--scope", "everything")
    assert "edu.users.read" in message
    maple.tool.usage_error("app", "create", "Other", "--scope", "edu.users.read")


@pytest.mark.on_each_database
def test_an_app_changes_only_in_what_was_named(maple: District, quizzler: Quizzler) -> None:
    before = maple.tool.json("app", "show", "Quizzler")
    after = maple.tool.json(
        "app", "set", "Quizzler", "--name", "Quizzler 2", "--add-return-url", "https://quizzler.example/two",
        "--remove-return-url", quizzler.return_url, "--add-client-id", "com.example.quizzler.web",
        "--no-notification-url")
    del before["notificationURL"]
    assert after.pop("version") != before.pop("version")
    assert after == before | {
        "name": "Quizzler 2", "returnURLs": ["https://quizzler.example/two"],
        "clientIDs": ["com.example.quizzler", "com.example.quizzler.web"],
        "clients": [
            {"clientID": name, "authentication": "key", "signingAlgorithm": "RS256"}
            for name in ("com.example.quizzler", "com.example.quizzler.web")
        ],
    }
    assert maple.tool.json("app", "set", "Quizzler 2", "--scope", "edu.users.read")["scopes"] == ["edu.users.read"]


def test_changes_that_cannot_be_made_leave_the_app_alone(maple: District, quizzler: Quizzler) -> None:
    before = maple.tool.json("app", "show", "Quizzler")
    maple.tool.usage_error("app", "set", "Quizzler")
    maple.tool.usage_error(
        "app", "set", "Quizzler", "--notification-url", "https://x.example/", "--no-notification-url")
    message = maple.tool.failure("app", "set", "Quizzler", "--name", "X", "--remove-return-url", "https://x.example/")
    assert "no return URL" in message
    assert "no client id" in maple.tool.failure("app", "set", "Quizzler", "--name", "X", "--add-client-id", "a b")
    assert maple.tool.json("app", "show", "Quizzler") == before


def test_lists_can_be_emptied_and_the_policy_taken_back(maple: District, quizzler: Quizzler) -> None:
    def change(*options: str) -> dict:
        return maple.tool.json("app", "set", "Quizzler", *options)

    assert change("--sign-out-url", "https://quizzler.example/bye")["signOutURLs"] == ["https://quizzler.example/bye"]
    assert change("--no-sign-out-url")["signOutURLs"] == []
    assert change("--domain", "Quizzler.example", "--domain", "www.quizzler.example")["domains"] == [
        "quizzler.example", "www.quizzler.example"]
    assert "lack rival.example" in maple.tool.failure(
        "app", "set", "Quizzler", "--add-return-url", "https://rival.example/callback")
    assert change("--no-domain")["domains"] == []
    assert change("--require-pkce")["requiresPKCE"] is True
    assert change("--name", "Quizzler")["requiresPKCE"] is True
    assert change("--no-require-pkce")["requiresPKCE"] is False
    maple.tool.usage_error(
        "app", "set", "Quizzler", "--no-sign-out-url", "--sign-out-url", "https://quizzler.example/bye")
    maple.tool.usage_error("app", "set", "Quizzler", "--no-domain", "--domain", "quizzler.example")


def test_a_client_authenticates_in_one_way(maple: District, quizzler: Quizzler) -> None:
    """docs/decisions/0025-strict-requests.md."""
    def authentication() -> list[str]:
        return [client["authentication"] for client in maple.tool.json("app", "show", "Quizzler")["clients"]]

    assert authentication() == ["key"]
    secrets = {
        maple.tool.json("app", "client", quizzler.client_id, "--secret")["clientSecret"] for _ in range(3)}
    assert len(secrets) == 3
    assert authentication() == ["secret"]
    maple.tool.json("app", "client", quizzler.client_id, "--public")
    assert authentication() == ["none"]
    assert maple.tool.json("app", "client", quizzler.client_id, "--key") == {
        "clientID": quizzler.client_id, "authentication": "key", "signingAlgorithm": "RS256"}
    assert authentication() == ["key"]
    assert "primary" in maple.tool.failure("app", "client", quizzler.client_id, "--remove")
    maple.tool.json("app", "set", "Quizzler", "--add-client-id", "com.example.quizzler.web")
    removed = maple.tool.json("app", "client", "com.example.quizzler.web", "--remove")
    assert removed["clientIDs"] == [quizzler.client_id]
    assert "no client" in maple.tool.failure("app", "client", "com.example.quizzler.web", "--key")
    maple.tool.usage_error("app", "client", quizzler.client_id)
    maple.tool.usage_error("app", "client", quizzler.client_id, "--key", "--secret")


@pytest.mark.on_each_database
def test_a_removed_app_is_gone_and_its_client_id_stays_taken(maple: District, quizzler: Quizzler) -> None:
    assert maple.tool.json("app", "remove", "Quizzler") == {"removed": "Quizzler", "revokedConsents": 0}
    assert maple.tool.json("app", "list")["apps"] == []
    removed = maple.tool.json("app", "list", "--removed")["apps"]
    assert [(app["name"], bool(app["removedAt"])) for app in removed] == [("Quizzler", True)]
    maple.tool.failure("app", "remove", "Quizzler")
    message = maple.tool.failure(
        "app", "create", "Impostor", "--client-id", quizzler.client_id, "--scope", "edu.users.read")
    assert "belongs to another app" in message


def test_teams_have_names_of_their_own(maple: District, quizzler: Quizzler) -> None:
    assert "already" in maple.tool.failure("app", "team", "create", "Quizzler Inc.")
    maple.tool.json("app", "team", "create", "Other Inc.")
    teams = maple.tool.json("app", "team", "list")["teams"]
    assert [(team["name"], team["apps"]) for team in teams] == [("Quizzler Inc.", ["Quizzler"]), ("Other Inc.", [])]
    message = maple.tool.failure("app", "create", "X", "--client-id", "x", "--scope", "edu.users.read")
    assert "--team" in message and teams[0]["id"] in message


def test_a_team_is_looked_after(maple: District, quizzler: Quizzler) -> None:
    tool = maple.tool
    tool.json(
        "person", "add", "--first-name", "Robin", "--last-name", "Vale", "--personal", "--user-name",
        "dev@quizzler.example")
    tool.json("app", "team", "add-member", "Quizzler Inc.", "dev@quizzler.example")
    invitation = tool.json("app", "team", "invite")
    assert (invitation["team"], len(invitation["code"])) == (quizzler.team_id, 43)
    shown = tool.json("app", "team", "show")
    assert (shown["members"], shown["invitations"], shown["offers"]) == (["dev@quizzler.example"], 1, [])
    assert tool.json("app", "team", "uninvite")["invitations"] == 0
    assert "Only a person joins" in tool.failure("app", "team", "join", tool.json("app", "team", "invite")["code"])
    assert tool.json("app", "team", "rename", "Quizzler Inc.", "Quizzler Ltd.")["name"] == "Quizzler Ltd."
    assert tool.json("app", "team", "remove-member", "Quizzler Ltd.", "dev@quizzler.example")["members"] == []
    assert "no member “nobody”" in tool.failure("app", "team", "remove-member", "Quizzler Ltd.", "nobody")
    assert "has apps: Quizzler" in tool.failure("app", "team", "remove", "Quizzler Ltd.", "--yes")
    tool.json("app", "remove", "Quizzler")
    assert "revoked" in tool.text("app", "team", "remove", "Quizzler Ltd.", "--dry-run")
    assert tool.json("app", "team", "remove", "Quizzler Ltd.", "--yes") == {"removed": "Quizzler Ltd."}
    assert tool.json("app", "team", "list") == {"teams": []}
    assert [app["teamName"] for app in tool.json("app", "list", "--removed")["apps"]] == ["Quizzler Ltd."]


def test_a_change_of_an_app_is_taken_back(maple: District, quizzler: Quizzler) -> None:
    before = maple.tool.json("app", "show", "Quizzler")
    maple.tool.json("app", "set", "Quizzler", "--name", "Quizzler 2", "--no-notification-url", "--require-pkce")
    change = maple.tool.json("app", "team", "changes")["changes"][0]
    assert (change["operation"], change["actor"]) == ("app.set", "operator")
    maple.tool.json("change", "undo", str(change["change"]))
    assert maple.tool.json("app", "show", "Quizzler") == before


def test_a_new_key_goes_to_a_file_for_its_owner_alone(maple: District, quizzler: Quizzler, tmp_path: Path) -> None:
    file = tmp_path / "key.p8"
    created = maple.tool.json("key", "create", "first", "--out", file)
    assert created["privateKeyFile"] == str(file) and created["key"]["teamID"] == quizzler.team_id
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.read_text().startswith("-----BEGIN PRIVATE KEY-----\n")
    public = subprocess.run(
        ["openssl", "ec", "-in", file, "-pubout"], check=True, capture_output=True, text=True).stdout
    assert public.split() == created["key"]["publicKey"].split()
    assert "PRIVATE" not in maple.tool.run("key", "list", "--json").stdout


def test_a_key_file_is_never_overwritten(maple: District, quizzler: Quizzler, tmp_path: Path) -> None:
    file = tmp_path / "key.p8"
    file.write_text("precious")
    assert "there already" in maple.tool.failure("key", "create", "first", "--out", file)
    assert file.read_text() == "precious"
    assert maple.tool.json("key", "list")["keys"] == []


def test_a_key_that_is_not_registered_leaves_no_file(maple: District, quizzler: Quizzler, tmp_path: Path) -> None:
    file = tmp_path / "key.p8"
    assert "key name" in maple.tool.failure("key", "create", " ", "--out", file)
    assert "no team" in maple.tool.failure("key", "create", "first", "--team", "Elm", "--out", file)
    assert "cannot be written" in maple.tool.failure("key", "create", "first", "--out", tmp_path / "no" / "key.p8")
    maple.tool.usage_error("key", "create", "first")
    assert not file.exists()


def test_a_team_hands_in_the_public_half_of_its_own_key(
    maple: District, quizzler: Quizzler, tmp_path: Path
) -> None:
    private, public, rsa = (tmp_path / name for name in ("private.pem", "public.pem", "rsa.pem"))
    for command in (
        f"openssl ecparam -name prime256v1 -genkey -noout -out {private}",
        f"openssl ec -in {private} -pubout -out {public}",
        f"openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -quiet -out {rsa}.key",
        f"openssl pkey -in {rsa}.key -pubout -out {rsa}",
    ):
        subprocess.run(command.split(), check=True, capture_output=True)
    key = maple.tool.json("key", "create", "own", "--public", public)["key"]
    assert key["publicKey"].split() == public.read_text().split()
    assert "registered already" in maple.tool.failure("key", "create", "again", "--public", public)
    assert "private key" in maple.tool.failure("key", "create", "oops", "--public", private)
    assert "P-256" in maple.tool.failure("key", "create", "rsa", "--public", rsa)
    assert "cannot be read" in maple.tool.failure("key", "create", "none", "--public", tmp_path / "none.pem")
    assert len(maple.tool.json("key", "list")["keys"]) == 1


@pytest.mark.on_each_database
def test_a_key_is_revoked_once(maple: District, quizzler: Quizzler, tmp_path: Path) -> None:
    key = maple.tool.json("key", "create", "first", "--out", tmp_path / "key.p8")["key"]
    assert maple.tool.json("key", "revoke", key["keyID"])["revokedAt"]
    assert "before" in maple.tool.failure("key", "revoke", key["keyID"])
    assert "no key" in maple.tool.failure("key", "revoke", "ABCDEFGHIJ")
    assert [bool(key.get("revokedAt")) for key in maple.tool.json("key", "list")["keys"]] == [True]


def test_an_app_is_handed_over_to_another_team(maple: District, quizzler: Quizzler) -> None:
    team = maple.tool.json("app", "team", "create", "Burgers & Tacos Ltd.")["id"]
    assert "--team" in maple.tool.usage_error("app", "transfer", "Quizzler")
    assert "no team “Elm”" in maple.tool.failure("app", "transfer", "Quizzler", "--team", "Elm")
    maple.tool.json("app", "client", quizzler.client_id, "--secret")
    handed = maple.tool.json("app", "transfer", "Quizzler", "--team", team)
    assert (handed["teamID"], handed["clientIDs"]) == (team, [quizzler.client_id])
    assert (handed["clientsWithoutSecret"], handed["endedConsents"]) == ([quizzler.client_id], [])
    assert handed["clients"] == [{"clientID": quizzler.client_id, "authentication": "key", "signingAlgorithm": "RS256"}]
    assert "is an app of Burgers & Tacos Ltd. already" in maple.tool.failure(
        "app", "transfer", "Quizzler", "--team", team)


def test_an_app_has_an_icon_and_names_in_several_languages(maple: District, quizzler: Quizzler, tmp_path: Path) -> None:
    icon = write_png(tmp_path / "icon.png", colour=b"\x10\x20\x80")
    assert len(maple.tool.json("app", "icon", "Quizzler", icon)["iconID"]) == 22
    assert "no app “Elm”" in maple.tool.failure("app", "icon", "Elm", icon)
    assert "less than 64 dots" in maple.tool.failure("app", "icon", "Quizzler", write_png(tmp_path / "small.png", 16))
    named = maple.tool.json("app", "set", "Quizzler", "--name-in", "ja=クイズラー", "--name-in", "ko=퀴즐러")
    assert named["localizedNames"] == [
        {"language": "ja", "name": "クイズラー"}, {"language": "ko", "name": "퀴즐러"}]
    assert "Name in ja" in maple.tool.text("app", "show", "Quizzler")
    assert "language=name" in maple.tool.usage_error("app", "set", "Quizzler", "--name-in", "tlh=x")
    assert "contradict" in maple.tool.usage_error("app", "set", "Quizzler", "--name-in", "ja=x", "--no-name-in")
    assert "is missing" in maple.tool.failure("app", "set", "Quizzler", "--name-in", "ja= ")
    assert maple.tool.json("app", "set", "Quizzler", "--no-name-in")["localizedNames"] == []
    assert "iconID" not in maple.tool.json("app", "icon", "Quizzler", "--none")
