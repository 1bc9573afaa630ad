"""What a client that is not ours reads, compared with the CSV files that went in."""

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from district import District
from foreign_client import ForeignClient
from plain_browser import PlainBrowser
from scene import Scene, Server

Record = dict[str, Any]


@pytest.fixture(scope="module")
def district(scene: Scene) -> District:
    return scene.district()


@pytest.fixture(scope="module")
def users(client: ForeignClient) -> list[Record]:
    return client.crawl("users", limit=1000)


@pytest.fixture(scope="module")
def classes(client: ForeignClient) -> list[Record]:
    return client.crawl("classes", limit=100)


@pytest.fixture(scope="module")
def locations(client: ForeignClient) -> list[Record]:
    return client.crawl("locations")


def shape(record: Record, *keys: str) -> tuple:
    """Those values of a record; an absent one is None."""
    return tuple(record.get(key) for key in keys)


def test_the_organization_is_the_one_that_consented(client: ForeignClient, scene: Scene) -> None:
    organization = client.get("organization").json()
    assert organization["id"] == scene.organization_id
    assert organization["name"] == scene.organization_name
    assert organization["type"] == "EDUCATION"
    assert organization["domains"] == [{"name": "maple.example", "isVerified": True}]


def test_the_locations_are_those_of_the_file(locations: list[Record], district: District) -> None:
    assert sorted(location["name"] for location in locations) == sorted(district.locations.values())


def test_the_people_are_those_of_the_files(
    users: list[Record], locations: list[Record], district: District
) -> None:
    """Names, e-mail addresses, grades, and schools of the pupils; what the file leaves empty is left out."""
    location_names = {location["id"]: location["name"] for location in locations}

    def read(user: Record) -> tuple:
        is_pupil = user["roles"] == ["Student"]
        schools = frozenset(
            location_names[place["locationId"]]
            for place in user["roleLocationMapping"]
            if place["locationId"] in location_names)
        return (*shape(user, "givenName", "middleName", "familyName", "email", "grade"), is_pupil, schools)

    def written(person) -> tuple:
        texts = (person.given_name, person.middle_name, person.family_name, person.email, person.grade)
        schools = frozenset(district.locations[id] for id in person.location_ids)
        return (*(text or None for text in texts), person.is_student, schools)

    assert Counter(map(read, users)) == Counter(map(written, district.people.values()))
    assert any("email" not in user for user in users)


def test_the_roles_are_those_that_the_files_imply(users: list[Record], district: District) -> None:
    """Pupils are students; staff whom a class names are instructors; the others are staff."""
    by_email = {person.email: person for person in district.people.values() if person.email}
    seen = 0
    for user in users:
        if person := by_email.get(user.get("email")):
            seen += 1
            roles = set(user["roles"])
            assert roles == {place["roleName"] for place in user["roleLocationMapping"]}
            if person.is_student:
                assert roles == {"Student"}
            elif person.id in district.instructor_ids:
                assert "Instructor" in roles
            else:
                assert roles == {"Staff"}
    assert seen == len(by_email)


def test_the_classes_have_the_members_of_the_files(
    users: list[Record], classes: list[Record], locations: list[Record], district: District
) -> None:
    location_names = {location["id"]: location["name"] for location in locations}
    users_by_id = {user["id"]: user for user in users}

    def member(user: Record) -> tuple:
        return shape(user, "givenName", "middleName", "familyName", "email", "grade")

    def read(one: Record) -> tuple:
        members = (Counter(member(users_by_id[id]) for id in one[key]) for key in ("instructorIds", "studentIds"))
        return (
            *shape(one, "name", "number", "displayName"), location_names[one["locationId"]],
            *(frozenset(names.items()) for names in members))

    def written(one) -> tuple:
        def named(id: str) -> tuple:
            person = district.people[id]
            texts = (person.given_name, person.middle_name, person.family_name, person.email, person.grade)
            return tuple(text or None for text in texts)

        return (
            one.name, one.number or None, one.display_name or None, district.locations[one.location_id],
            *(frozenset(Counter(map(named, ids)).items()) for ids in (one.instructor_ids, one.student_ids)))

    assert Counter(map(read, classes)) == Counter(map(written, district.classes.values()))


def test_no_value_is_null_anywhere(users: list[Record], classes: list[Record], locations: list[Record]) -> None:
    for record in (*users, *classes, *locations):
        assert None not in record.values()
        assert "" not in record.values()


@pytest.mark.parametrize("parameter", ["pageToken", "nextPageToken"])
def test_following_either_name_of_the_page_token_visits_everyone_once(
    client: ForeignClient, users: list[Record], parameter: str
) -> None:
    pages = list(client.pages("users", parameter, limit=97))
    visited = [user["id"] for page in pages for user in page["users"]]
    assert Counter(visited) == Counter(user["id"] for user in users)
    assert all(len(page["users"]) == 97 for page in pages[:-1])
    assert "nextPageToken" not in pages[-1]


@pytest.mark.parametrize("role", ["Student", "Instructor", "Staff"])
def test_filtering_by_role_gives_those_who_hold_it(
    client: ForeignClient, users: list[Record], role: str
) -> None:
    found = client.crawl("users", role=role, limit=500)
    assert [user["id"] for user in found] == [user["id"] for user in users if role in user["roles"]]


def test_single_records_are_those_of_the_lists(
    client: ForeignClient, users: list[Record], classes: list[Record], locations: list[Record]
) -> None:
    assert client.get(f"users/{users[7]['id']}").json() == users[7]
    assert client.get(f"classes/{classes[7]['id']}").json() == classes[7]
    assert client.get(f"locations/{locations[0]['id']}").json() == locations[0]
    assert client.get(f"locations/{locations[0]['id'].removeprefix('LO:')}").json() == locations[0]


def test_the_people_of_a_class_are_its_members(client: ForeignClient, classes: list[Record]) -> None:
    one = max(classes, key=lambda one: len(one["studentIds"]))
    for role, key in (("Student", "studentIds"), ("Instructor", "instructorIds")):
        found = client.crawl(f"classes/{one['id']}/users", limit=10, role=role)
        assert Counter(user["id"] for user in found) == Counter(one[key])


def test_ids_that_do_not_exist_are_not_found(client: ForeignClient) -> None:
    for path in ("users/000001.none.none", "classes/CL-999999", "classes/CL-999999/users", "locations/LO:999999"):
        assert client.get(path).status_code == 404, path


@pytest.fixture
def strict_server(scene: Scene, tmp_path: Path) -> Iterator[Server]:
    """A server on a copy of the data that allows ten calls at once, and then ten a second."""
    folder = scene.copy(tmp_path / "strict").folder
    (folder / "lanyard.json").write_text('{"rateLimit": {"burst": 10, "requestsPerSecond": 10}}')
    server = Server(folder)
    try:
        yield server.start()
    finally:
        server.stop()


def test_a_client_that_is_too_fast_gets_through_by_waiting_as_it_is_told(
    scene: Scene, strict_server: Server, district: District
) -> None:
    client = ForeignClient(strict_server.base_url, scene.app)
    client.exchange(PlainBrowser().consent(client.authorize_url(), scene.account("administrator")))
    started = time.monotonic()
    visited = client.crawl("users", limit=len(district.people) // 40)
    assert client.throttled > 0
    assert time.monotonic() - started >= client.throttled
    assert len(visited) == len({user["id"] for user in visited}) == len(district.people)
