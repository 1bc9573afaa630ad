"""A district as in its six CSV files, to compare with what a client of the server sees."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path


@dataclass(frozen=True)
class DistrictPerson:
    id: str
    given_name: str
    middle_name: str
    family_name: str
    email: str
    grade: str
    is_student: bool
    location_ids: frozenset[str]


@dataclass(frozen=True)
class DistrictClass:
    id: str
    number: str
    course_name: str
    display_name: str
    location_id: str
    instructor_ids: frozenset[str]
    student_ids: frozenset[str]

    @property
    def name(self) -> str:
        """The files have no name for a class; Lanyard makes it from the course's."""
        return f"{self.course_name} {self.number}"


@dataclass(frozen=True)
class District:
    locations: dict[str, str]
    people: dict[str, DistrictPerson]
    classes: dict[str, DistrictClass]

    @cached_property
    def instructor_ids(self) -> frozenset[str]:
        return frozenset().union(*(taught.instructor_ids for taught in self.classes.values()))

    @staticmethod
    def read(folder: Path) -> "District":
        members: dict[str, set[str]] = {}
        for row in _rows(folder / "rosters.csv"):
            members.setdefault(row["class_id"], set()).add(row["student_id"])
        courses = {row["course_id"]: row["course_name"] for row in _rows(folder / "courses.csv")}
        return District(
            locations={row["location_id"]: row["location_name"] for row in _rows(folder / "locations.csv")},
            people={
                row["person_id"]: DistrictPerson(
                    id=row["person_id"],
                    given_name=row["first_name"],
                    middle_name=row["middle_name"],
                    family_name=row["last_name"],
                    email=row["email_address"],
                    grade=row.get("grade_level", ""),
                    is_student=file == "students.csv",
                    location_ids=_series(row, "location_id"),
                )
                for file in ("students.csv", "staff.csv")
                for row in _rows(folder / file)
            },
            classes={
                row["class_id"]: DistrictClass(
                    id=row["class_id"],
                    number=row["class_number"],
                    course_name=courses[row["course_id"]],
                    display_name=row["class_display_name"],
                    location_id=row["location_id"],
                    instructor_ids=_series(row, "instructor_id"),
                    student_ids=frozenset(members.get(row["class_id"], ())),
                )
                for row in _rows(folder / "classes.csv")
            },
        )


def _rows(file: Path) -> Iterator[dict[str, str]]:
    # These files escape a quotation mark with a backslash instead of doubling it.
    with file.open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines, escapechar="\\", doublequote=False)


def _series(row: dict[str, str], column: str) -> frozenset[str]:
    """The values of `column`, `column_2`, `column_3` …"""
    return frozenset(value for name, value in row.items() if value and name.rstrip("0123456789").rstrip("_") == column)
