"""`lanyard findings` and `lanyard activity`: what is wrong in an organization, and how much it is used."""

from pathlib import Path

from command_line.conftest import District
from database import execute
from plain_browser import PlainBrowser
from processes import wait_until
from school import open_school_in


def test_what_is_wrong_is_told_with_the_command_that_helps(maple: District) -> None:
    tool = maple.tool
    assert tool.json("findings") == {"findings": []}
    assert tool.text("findings") == "Nothing is wrong.\n"
    tool.json("person", "add", "--first-name", "Ana", "--last-name", "Lee", "--role", "administrator")
    execute(tool.file, "UPDATE person SET state = 'locked' WHERE user_name = 'ana.lee@maple.example'")
    assert tool.json("findings") == {"findings": [{"count": 1, "kind": "accounts-are-locked"}]}
    text = tool.text("findings")
    assert "1 account is locked after wrong passwords" in text
    [command] = [line.partition("lanyard ")[2] for line in text.splitlines() if "lanyard " in line]
    assert "Ana Lee" in tool.text(*command.split())
    tool.text("person", "unlock", "ana.lee@maple.example")
    assert tool.text("findings") == "Nothing is wrong.\n"


def test_sign_ins_are_counted_day_by_day(tmp_path: Path) -> None:
    with open_school_in(tmp_path) as school:
        tool, base_url = school.school.tool, school.base_url
        browser = PlainBrowser()
        browser.sign_in(browser.open(base_url), school.school.people["managed"].account)
    # A server counts what has happened when it starts, and every minute.
    with tool.serving():
        days = wait_until(
            lambda: (found := tool.json("activity", "--days", "2")["days"])[-1]["signIns"] > 0 and found, 30,
            "the sign-in is counted", pause=0.3)
    assert len(days) == 2 and days[0]["signIns"] == 0 and days[1]["recordsRead"] == 0
    rows = [line.split() for line in tool.text("activity", "--days", "2").splitlines()]
    assert rows[1:] == [[day["day"], str(day["signIns"]), "0"] for day in days]
    assert len(tool.json("activity")["days"]) == 30
    assert "is not between 1 and 366" in tool.failure("activity", "--days", "367")
