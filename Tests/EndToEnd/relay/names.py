"""A DNS server for the names of a test."""

from dnslib import QTYPE, RCODE, RR
from dnslib.server import BaseResolver, DNSLogger, DNSServer


class Names(BaseResolver):
    """Answers from records in the form of a zone file; names without any do not exist."""

    def __init__(self, address: str):
        self._records: list[RR] = []
        # Names whose questions fail, as if their own servers were away.
        self.broken: set[str] = set()
        self._servers = [
            DNSServer(self, address=address, port=53, tcp=tcp, logger=DNSLogger("-request,-reply,-truncated"))
            for tcp in (False, True)
        ]

    def add(self, zone: str) -> None:
        self._records += RR.fromZone(zone)

    def resolve(self, request, handler):
        reply = request.reply()
        name = request.q.qname
        if str(name).rstrip(".").lower() in self.broken:
            reply.header.rcode = RCODE.SERVFAIL
            return reply
        same_name = [record for record in self._records if record.rname == name]
        for record in same_name:
            if QTYPE[record.rtype] == QTYPE[request.q.qtype] or QTYPE[request.q.qtype] == "ANY":
                reply.add_answer(record)
        if not same_name:
            reply.header.rcode = RCODE.NXDOMAIN
        return reply

    def __enter__(self) -> "Names":
        for server in self._servers:
            server.start_thread()
        return self

    def __exit__(self, *_) -> None:
        for server in self._servers:
            server.stop()
            server.server.server_close()
