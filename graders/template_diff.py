"""Compare a submitted file with the pristine template."""

from graders.textfile import read_text

__all__ = ["read_text"]
