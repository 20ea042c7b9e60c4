"""The forms of documents, as pairs of an id and a text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Optional

Columns = Optional[tuple[str, Optional[str]]]
"""The columns of the texts and of the ids in Arrow data; ``None`` for pairs."""


def opened(documents: Any, text: str, id: str | None, *, ids_needed: bool) -> tuple[Any, Columns]:
    """What the native module reads: Arrow data with the names of its columns, or an iterator of pairs."""
    if isinstance(documents, (str, bytes, bytearray)):
        raise TypeError(f"one {type(documents).__name__} is not several documents: put the texts into a list")
    if _is_pandas_frame(documents):
        return _rows_of_pandas(documents, text, id, ids_needed), None
    if hasattr(documents, "__arrow_c_stream__") or hasattr(documents, "__arrow_c_array__"):
        if not _is_pandas(documents):
            return documents, (text, id)
    if isinstance(documents, Mapping):
        return iter(documents.items()), None
    if not isinstance(documents, Iterable):
        raise TypeError(f"{type(documents).__name__} holds no documents: give a list, a generator, or a data frame")
    return _pairs(documents, text, id, ids_needed), None


def _is_pandas(documents: Any) -> bool:
    return type(documents).__module__.partition(".")[0] == "pandas"


def _is_pandas_frame(documents: Any) -> bool:
    return _is_pandas(documents) and hasattr(documents, "columns")


def _rows_of_pandas(frame: Any, text: str, id: str | None, ids_needed: bool) -> Iterator[tuple[Any, Any]]:
    """pandas gives Arrow data only with pyarrow, so its columns are read as Python objects."""
    for name in [text] if id is None else [text, id]:
        if name not in frame.columns:
            raise KeyError(f"there is no column {name!r}; there are: {', '.join(map(str, frame.columns))}")
    if id is None and "id" in frame.columns:
        id = "id"
    if id is None and ids_needed:
        raise _no_id()
    return zip(range(len(frame)) if id is None else frame[id], frame[text])


def _pairs(documents: Iterable[Any], text: str, id: str | None, ids_needed: bool) -> Iterator[tuple[Any, Any]]:
    found: Any
    content: Any
    for position, document in enumerate(documents):
        if isinstance(document, str):
            found, content = position, document
        elif isinstance(document, tuple) and len(document) == 2:
            yield document
            continue
        elif isinstance(document, Mapping):
            if text not in document:
                raise KeyError(f"document {position} has no key {text!r}; it has: {', '.join(map(str, document))}")
            if id is not None and id not in document:
                raise KeyError(f"document {position} has no key {id!r}; it has: {', '.join(map(str, document))}")
            key = "id" if id is None else id
            content = document[text]
            if key in document:
                yield document[key], content
                continue
            found = position
        elif document is None or isinstance(document, (bytes, bytearray, float)):
            # The native module says what to do with each of them.
            found, content = position, document
        else:
            raise TypeError(f"document {position} is {type(document).__name__}: give a text, a pair (id, text), or a dict "
                            f"with the key {text!r}")
        if ids_needed:
            raise _no_id()
        yield found, content


def _no_id() -> ValueError:
    return ValueError("the documents have no ids, and a Deduplicator needs them: give pairs (id, text), or name the column "
                      "or key of the ids with id=")
