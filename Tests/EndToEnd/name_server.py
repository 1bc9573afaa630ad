"""A name server with one zone, NSD, on a free port of this machine."""

from pathlib import Path

from processes import Program, free_port, run

NSD = Path("/usr/sbin/nsd")


class NameServer:
    """The zone has nothing but what every zone must have, until records are added."""

    def __init__(self, folder: Path, domain: str):
        self.folder = folder
        self.domain = domain
        self.port = free_port()
        self.records: list[str] = []
        self.program: Program | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> "NameServer":
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "zone").write_text("\n".join([
            f"$ORIGIN {self.domain}.", "$TTL 1", "@ SOA ns hostmaster 1 3600 600 86400 1", "@ NS ns", "ns A 127.0.0.1",
            *self.records, "",
        ]))
        (self.folder / "nsd.conf").write_text(f"""\
server:
    server-count: 1
    ip-address: 127.0.0.1
    port: {self.port}
    username: ""
    database: ""
    pidfile: "{self.folder}/pid"
    zonesdir: "{self.folder}"
    xfrdfile: "{self.folder}/xfrd"
    zonelistfile: "{self.folder}/zones"
remote-control:
    control-enable: no
zone:
    name: {self.domain}
    zonefile: zone
""")
        run("nsd-checkzone", self.domain, self.folder / "zone")
        self.program = Program(NSD, "-d", "-c", self.folder / "nsd.conf", log=self.folder / "log")
        self.program.wait_until(lambda: "nsd started" in self.program.log_text, 20, "the name server")
        return self

    def stop(self) -> None:
        if self.program:
            self.program.stop()
            self.program = None

    def add(self, name: str, text: str) -> None:
        """Puts a TXT record into the zone, from now on."""
        self.stop()
        self.records.append(f'{name}. TXT "{text}"')
        self.start()
