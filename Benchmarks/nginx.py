"""nginx as a yardstick: one process that answers requests, and writes nothing down."""

import shutil
from pathlib import Path


def nginx_command(folder: Path, server: str) -> list[str]:
    """Writes its configuration into the folder. `server`: the directives of the only server; returns what starts it."""
    configuration = folder / "nginx.conf"
    configuration.write_text(
        f"""
        daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/nginx.log;
        events {{}}
        http {{ access_log off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p;
          fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
          sendfile on; open_file_cache max=100; keepalive_requests 100000000; server {{ {server} }} }}
        """)
    return [shutil.which("nginx") or "/usr/sbin/nginx", "-c", str(configuration), "-p", str(folder)]
