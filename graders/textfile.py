"""A text file's bytes as text: UTF-8, or UTF-16 and UTF-32 with a byte order mark; line ends become line feeds."""

from __future__ import annotations

import codecs

from graders.errors import BadInput, Where
from graders.text import Text

MAX_BYTES = 2_000_000
_MARKS = (  # longer marks first: that of UTF-32 begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF8, "utf-8", "UTF-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)


def read_text(raw: bytes, name: str = "", most: int = MAX_BYTES) -> str:
    """Decode a file, without its byte order mark and with `\\n` at the ends of lines.

    Raises BadInput (with `name` as the place) for more than `most` bytes, for binary data and for other encodings.
    """
    where = Where(name) if name else None
    if len(raw) > most:
        en = "the file has {n} bytes; source and answers have at most {most}"
        zh = "文件有 {n} 字节；源代码和答案最多 {most} 字节"
        raise BadInput(Text(en, zh).fill(n=len(raw), most=most), where)
    mark, codec, told = next((m for m in _MARKS if raw.startswith(m[0])), (b"", "utf-8", "UTF-8"))
    try:
        text = raw[len(mark) :].decode(codec)
    except UnicodeDecodeError as error:
        if b"\0" in raw and not mark:
            raise BadInput(_BINARY, where) from None
        at = len(mark) + error.start
        en = "the file is not valid {codec} (byte {at}); save it as UTF-8"
        zh = "文件不是有效的 {codec}（第 {at} 字节）；请另存为 UTF-8"
        raise BadInput(Text(en, zh).fill(codec=told, at=at + 1), where) from None
    if "\0" in text:
        raise BadInput(_BINARY, where)
    return text.replace("\r\n", "\n").replace("\r", "\n")


_BINARY = Text("the file is binary data, not text", "文件是二进制数据，不是文本")
