"""Debian's Apache with one additional module, as a private server with public pages and a folder for members."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import requests
from processes import Program

MODULES = ["mpm_event", "authn_core", "authz_core", "authz_user", "dir", "include", "mime"]

CONFIGURATION = """
{modules}
ServerName 127.0.0.1
Listen 127.0.0.1:{port}
ServerRoot {folder}
DefaultRuntimeDir {folder}
PidFile {folder}/pid
ErrorLog /dev/stderr
# Takes effect only if root starts it.
User www-data
Group www-data
AddDefaultCharset utf-8
# Otherwise Apache closes a connection after five idle seconds, maybe while a client sends its next request.
KeepAlive Off

DocumentRoot {folder}/pages
DirectoryIndex index.shtml
TypesConfig /dev/null
AddType text/html .shtml
AddOutputFilter INCLUDES .shtml
<Directory {folder}/pages>
    Options +Includes
    Require all granted
</Directory>
"""


@contextmanager
def site_folder() -> Iterator[Path]:
    """A temporary folder that every user can read. Apache gives up root and could not read the tests' own."""
    with TemporaryDirectory(prefix="lanyard-apache.") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@contextmanager
def apache_site(
    folder: Path, port: int, *, module: str, configuration: str, members_page: str, log: Path,
    environment: dict[str, str | Path] | None = None,
) -> Iterator[str]:
    """Runs Apache while the block runs, and yields its URL.

    `configuration` has the directives of the module and of /members/.
    """
    (folder / "pages" / "members").mkdir(parents=True)
    (folder / "pages" / "index.shtml").write_text("<!doctype html>\n<h1>For everybody</h1>\n")
    (folder / "pages" / "members" / "index.shtml").write_text(members_page)
    modules = "\n".join(f"LoadModule {one}_module /usr/lib/apache2/modules/mod_{one}.so" for one in [*MODULES, module])
    file = log.with_suffix(".conf")
    file.write_text(CONFIGURATION.format(modules=modules, port=port, folder=folder) + configuration)
    url = f"http://127.0.0.1:{port}"
    variables = [f"{name}={value}" for name, value in (environment or {}).items()]
    server = Program("env", *variables, "/usr/sbin/apache2", "-f", file, "-D", "FOREGROUND", log=log)
    try:
        server.wait_until(lambda: _answers(url), 30, "Apache is ready")
        yield url
    finally:
        print(server.log_text)
        server.stop()


def _answers(url: str) -> bool:
    try:
        return requests.get(url, timeout=2).ok
    except requests.RequestException:
        return False
