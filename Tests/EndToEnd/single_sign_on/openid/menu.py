"""A native app of the school's people."""

from school import School

CLIENT_ID = "com.example.menu"
# Of the Web: the server shows every sign-in of a return URL that any program of the device could listen at. The
# extension takes the answer before anything is opened.
RETURN_URL = "https://menu.burgers.example/native"


def register_menu(school: School) -> str:
    """Its client id."""
    school.register("Menu", CLIENT_ID, "--return-url", RETURN_URL)
    school.tool.json("app", "client", CLIENT_ID, "--public")
    return CLIENT_ID
