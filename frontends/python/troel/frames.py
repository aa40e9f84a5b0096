"""Rows of results as ``pandas.DataFrame``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def frame(rows: Sequence[dict[str, Any]]) -> Any:
    """Returns rows as a ``pandas.DataFrame``.

    Raises:
        ImportError: pandas is not installed.
    """
    try:
        import pandas
    except ModuleNotFoundError as error:
        raise ImportError(
            'to_frame needs pandas: pip install "troel[pandas]", or use the rows'
        ) from error
    return pandas.DataFrame(list(rows))


def frame_or_rows(rows: list[dict[str, Any]]) -> Any:
    """Returns rows as a ``pandas.DataFrame``, or as they are if pandas is not installed."""
    try:
        return frame(rows)
    except ImportError:
        return rows
