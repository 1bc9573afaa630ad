"""PNG files (ISO/IEC 15948), written without a library."""

import os
import struct
import zlib
from pathlib import Path


def write_png(path: Path, side: int = 96, colour: bytes | None = None) -> Path:
    """A square of one colour, or of noise, which cannot be compressed."""
    def chunk(kind: bytes, content: bytes) -> bytes:
        body = kind + content
        return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    rows = (b"\0" + (colour * side if colour else os.urandom(side * 3)) for _ in range(side))
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"".join(rows)))
        + chunk(b"IEND", b""))
    return path
