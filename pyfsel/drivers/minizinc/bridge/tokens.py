"""FlatZinc text to tokens."""

from __future__ import annotations

import re

from pyfsel.drivers.minizinc.bridge.model import FlatZincError

TOKEN = re.compile(
    r"%[^\n]*"
    r'|("(?:[^"\\\n]|\\.)*"'
    r"|[A-Za-z_][A-Za-z0-9_]*"
    r"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"
    r"|::|\.\."
    r"|[^ \t\r\n])"
)
END = ""


def is_name(token: str) -> bool:
    """Return whether a token is an identifier."""
    return token.isidentifier() and token.isascii()


class Tokens:
    """The tokens of a text, and a place among them.

    Examples
    --------
    >>> tokens = Tokens("var bool: x; % a comment")
    >>> [tokens.take() for _ in range(5)]
    ['var', 'bool', ':', 'x', ';']
    >>> tokens.next == END
    True
    """

    def __init__(self, text: str) -> None:
        self._text = text
        found = TOKEN.findall(text)
        self.all: list[str] = [token for token in found if token] if "%" in text else found
        self.all.append(END)
        self.at = 0

    @property
    def next(self) -> str:
        """The next token; `END` after the last."""
        return self.all[self.at]

    def take(self) -> str:
        """Return the next token and go on."""
        token = self.all[self.at]
        if token == END:
            raise self.error("the text ends in the middle of an item")
        self.at += 1
        return token

    def expect(self, wanted: str) -> None:
        """Go past the next token; raise `FlatZincError` if it is not the wanted one."""
        if self.all[self.at] != wanted:
            raise self.error(f"expected {wanted!r} {self.found()}")
        self.at += 1

    def accept(self, wanted: str) -> bool:
        """Go past the next token if it is this one, and return whether it was."""
        if self.all[self.at] != wanted:
            return False
        self.at += 1
        return True

    def name(self) -> str:
        """Return the next token, which must be a name."""
        if not is_name(self.all[self.at]):
            raise self.error(f"expected a name {self.found()}")
        return self.take()

    def found(self) -> str:
        """Return the next token in words, for an error."""
        return f"but found {self.next[:40]!r}" if self.next != END else "but the text ends"

    def line_of(self, number: int) -> int:
        """Return the line, counted from 1, of the token with this number."""
        matches = (match for match in TOKEN.finditer(self._text) if match.group(1))
        place = len(self._text)
        for at, match in enumerate(matches):
            if at == number:
                place = match.start()
                break
        return self._text.count("\n", 0, place) + 1

    def error(self, message: str) -> FlatZincError:
        """Return an error at the next token."""
        return FlatZincError(message, self.line_of(self.at))
