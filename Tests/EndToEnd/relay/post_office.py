"""The mail server of a person or of an app's maker: it takes what comes, or refuses."""

from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from threading import Condition

from aiosmtpd.controller import Controller
from processes import PATIENCE


@dataclass(frozen=True)
class Letter:
    sender: str
    recipients: list[str]
    content: bytes
    options: list[str]

    @property
    def message(self) -> Message:
        return message_from_bytes(self.content)


@dataclass
class PostOffice:
    address: str
    port: int = 25
    settings: dict = field(default_factory=dict)
    # The answer to RCPT TO instead of 250.
    refusal: str | None = None
    letters: list[Letter] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._arrived = Condition()
        self._controller = Controller(self, hostname=self.address, port=self.port, **self.settings)

    async def handle_RCPT(self, server, session, envelope, address, options) -> str:
        if self.refusal:
            return self.refusal
        envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(options)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope) -> str:
        with self._arrived:
            self.letters.append(
                Letter(envelope.mail_from, envelope.rcpt_tos, envelope.original_content, envelope.rcpt_options))
            self._arrived.notify_all()
        return "250 OK"

    def wait_for(self, count: int, timeout: float = 30) -> Letter:
        """The letter that is the count-th to arrive."""
        timeout *= PATIENCE
        with self._arrived:
            if not self._arrived.wait_for(lambda: len(self.letters) >= count, timeout):
                raise TimeoutError(f"{len(self.letters)} of {count} letters within {timeout} s")
            return self.letters[count - 1]

    def __enter__(self) -> "PostOffice":
        self._controller.start()
        return self

    def __exit__(self, *_) -> None:
        self._controller.stop()
