"""Somebody who answers what the extension asks."""

from school import Member
from single_sign_on.openid.extension import Person


def types(member: Member) -> Person:
    """Signs in and agrees, as Lanyard's pages ask."""

    def person(form: dict) -> dict[str, str]:
        labels = [field["label"] for field in form["fields"]]
        if any(field["kind"] == "password" for field in form["fields"]):
            return {labels[0]: member.account.username, labels[1]: member.account.password}
        return {}

    return person
