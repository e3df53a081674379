"""Answers: rows in Arrow, and the verdict that says whether they are all."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Mapping

import pyarrow

if TYPE_CHECKING:
    import pandas
    import polars


@dataclass(frozen=True)
class Verdict:
    """What an answer is worth.

    complete: nothing is missing. Without allow_partial it is always true.
    tuples: the number of tuples in the answer, or in its aggregates.
    positions: by partition, the offset below which everything is in the answer; at_least takes it.
    shown: the same, above every row of the answer: an answer that has seen it has them all again. A gateway from before
        there was one does not tell it; then these are the positions, and rows may lie above them.
    streams: the positions by stream, for a statement of several; what is shown of each is in everything.
    next: the token of the next page; None where there is none.
    everything: the verdict as the server wrote it (docs/http.md).
    """

    complete: bool
    tuples: int
    positions: Mapping[int, int]
    shown: Mapping[int, int]
    streams: Mapping[str, Mapping[int, int]]
    next: str | None
    everything: Mapping[str, Any] = field(repr=False)

    @staticmethod
    def from_json(text: str | bytes) -> "Verdict":
        said = json.loads(text)
        return Verdict(
            complete=said["complete"],
            tuples=said["tuples"],
            positions=_positions(said.get("positions", {})),
            shown=_positions(said.get("shown", said.get("positions", {}))),
            streams={name: _positions(of.get("positions", {})) for name, of in said.get("streams", {}).items()},
            next=said.get("next"),
            everything=said,
        )


def _positions(said: Mapping[str, int]) -> dict[int, int]:
    return {int(partition): offset for partition, offset in said.items()}


@dataclass(frozen=True)
class Answer:
    """The rows of an answer, and its verdict."""

    table: pyarrow.Table
    verdict: Verdict

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def rows(self) -> list[dict[str, Any]]:
        """The rows as dictionaries: for few of them. Of columns with one name all but the first get a number."""
        names: list[str] = []
        for name in self.table.column_names:
            numbered, n = name, 0
            while numbered in names or (n > 0 and numbered in self.table.column_names):
                n += 1
                numbered = f"{name}_{n}"
            names.append(numbered)
        rows: list[dict[str, Any]] = self.table.rename_columns(names).to_pylist()
        return rows

    def to_pandas(self) -> "pandas.DataFrame":
        """The rows for pandas, which must be installed."""
        frame: "pandas.DataFrame" = self.table.to_pandas()
        return frame

    def to_polars(self) -> "polars.DataFrame":
        """The rows for Polars, which must be installed; without a copy where it can be."""
        import polars

        return polars.from_arrow(self.table)  # type: ignore[return-value]
