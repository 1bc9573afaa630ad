"""A native app of the school's people."""

from school import School

CLIENT_ID = "com.example.menu"
# An HTTPS URL: for a return URL at which any program of the device could listen, the server shows a page at every
# sign-in. The extension takes the answer before anything is opened.
RETURN_URL = "https://menu.burgers.example/native"


def register_menu(school: School) -> str:
    """Its client id."""
    school.register("Menu", CLIENT_ID, "--return-url", RETURN_URL)
    school.tool.json("app", "client", CLIENT_ID, "--public")
    return CLIENT_ID
