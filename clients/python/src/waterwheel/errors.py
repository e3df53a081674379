"""The one exception of this package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Sequence

if TYPE_CHECKING:
    from .client import Stored


class WaterwheelError(Exception):
    """A request that was refused, or that failed.

    code: for programs, such as NO_SUCH_STREAM (docs/errors.md, docs/http.md); UNREACHABLE when there was no answer,
        CUT_OFF when there was none to the end, OUTCOME_UNKNOWN in place of both when the statement may have changed
        something, HTTP when it was not a gateway's.
    status: of HTTP; None when there was no answer.
    at: the part of the request that is at fault; None when it is all of it.
    errors: for rows that were refused, the first hundred of them: line, field, reason.
    stored: of an append in several pieces, what is stored of it; None where nothing is, or that is not known.
    """

    stored: Stored | None = None

    def __init__(
        self,
        code: str,
        message: str,
        status: int | None = None,
        at: str | None = None,
        errors: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        super().__init__(f"{code}: {message}" + (f" (at {at})" if at else ""))
        self.code = code
        self.message = message
        self.status = status
        self.at = at
        self.errors = list(errors)

    def __reduce__(self) -> tuple[Any, ...]:
        return WaterwheelError, (self.code, self.message, self.status, self.at, self.errors)

    @property
    def temporary(self) -> bool:
        """Whether the same request may work in a moment."""
        return self.status is None or self.status in (429, 503, 504)
