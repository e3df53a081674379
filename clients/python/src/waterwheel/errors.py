"""The one exception of this package."""

from __future__ import annotations

from typing import Any, Mapping, Sequence


class WaterwheelError(Exception):
    """A request that was refused, or that failed.

    code: for programs, such as NO_SUCH_STREAM (docs/errors.md, docs/http.md); UNREACHABLE when there was no answer,
        CUT_OFF when there was none to the end.
    status: of HTTP; None when there was no answer.
    at: the part of the request that is at fault; None when it is all of it.
    errors: for rows that were refused, the first hundred of them: line, field, reason.
    """

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

    @property
    def temporary(self) -> bool:
        """Whether the same request may work in a moment."""
        return self.status is None or self.status in (429, 503, 504)
