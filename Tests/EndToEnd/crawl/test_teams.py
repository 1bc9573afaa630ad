"""Two developer teams must not be able to join what they know about a person."""

import pytest
from administration import register_app
from foreign_client import Connect, ForeignClient, verified_claims
from scene import RegisteredApp, Scene


@pytest.fixture(scope="module")
def other_app(scene: Scene) -> RegisteredApp:
    return register_app(scene, team="Pencil Case Ltd", name="Pencil Case", client_id="org.pencilcase.app")


def ids_by_email(client: ForeignClient) -> dict[str, str]:
    return {user["email"]: user["id"] for user in client.crawl("users", limit=1000) if "email" in user}


def test_two_teams_see_different_ids_for_one_person(
    connect: Connect, client: ForeignClient, other_app: RegisteredApp
) -> None:
    ours, theirs = ids_by_email(client), ids_by_email(connect(other_app))
    assert ours.keys() == theirs.keys()
    assert not set(ours.values()) & set(theirs.values())


def test_an_id_of_one_team_is_unknown_to_the_other(
    connect: Connect, client: ForeignClient, other_app: RegisteredApp
) -> None:
    ours = client.get("users", limit=1).json()["users"][0]["id"]
    assert connect(other_app).get(f"users/{ours}").status_code == 404


def test_one_team_sees_one_id_in_users_classes_and_identity(
    connect: Connect, other_app: RegisteredApp, scene: Scene
) -> None:
    client = connect(other_app)
    by_email = ids_by_email(client)
    everyone = {user["id"] for user in client.crawl("users", limit=1000)}
    for one in client.crawl("classes", limit=200):
        assert everyone.issuperset(one["studentIds"] + one["instructorIds"])

    administrator = verified_claims(client.oauth.token["id_token"], client.base_url)
    assert administrator["sub"] == by_email[scene.account("administrator").email]
    manager = connect(other_app, role="site_manager")
    assert verified_claims(manager.oauth.token["id_token"], client.base_url)["sub"] == by_email[
        scene.account("site_manager").email]
