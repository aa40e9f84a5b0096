"""Packed observations: rows of bytes, a twentieth of the size of the dense features."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _troel


class SparseRows(NamedTuple):
    """Nonzero features of observations, as ``torch.nn.functional.embedding_bag`` takes them.

    With ``weight`` of shape ``(N_FEATURES, width)``, the product of the dense features and the
    matrix is ``embedding_bag(indices, weight, offsets, mode="sum", per_sample_weights=values)``.
    """

    #: Indices of the features, row after row, int64 of shape ``(nonzero,)``.
    indices: NDArray[np.int64]
    #: Start of each row in ``indices``, int64 of shape ``(n,)``.
    offsets: NDArray[np.int64]
    #: Values of the features, float32 of shape ``(nonzero,)``, -2 to 2.
    values: NDArray[np.float32]


def unpack(rows: NDArray[np.uint8], out: Any = None) -> NDArray[np.float32]:
    """Returns the features of packed rows, float32 of shape ``(n, N_FEATURES)``, -2 to 2.

    Rows with full information become ``(n, N_FULL_FEATURES)``. The features are those of an
    environment with the same settings without ``packed``. Rows are unpacked on all cores.

    >>> from troel import SelfPlayVectorEnv
    >>> packed, dense = SelfPlayVectorEnv(8, packed=True), SelfPlayVectorEnv(8)
    >>> bool((unpack(packed.observe().observations) == dense.observe().observations).all())
    True

    Args:
        rows: Packed rows of :class:`SelfPlayVectorEnv`, uint8 of shape ``(n, PACKED_SIZE)``, or
            ``(n, PACKED_FULL_SIZE)`` with full information.
        out: Array or tensor on the CPU to write into, such as pinned memory: float32, contiguous,
            of the shape of the result. It is returned as an array.

    Raises:
        ValueError: A row is not a packed row of this version, or ``out`` does not fit.
    """
    rows = _rows(rows)
    if out is None:
        is_full = rows.shape[1] == _troel.PACKED_FULL_SIZE
        width = _troel.N_FULL_FEATURES if is_full else _troel.N_FEATURES
        out = np.empty((len(rows), width), np.float32)
    array = shared_array(out, "out")
    if array.dtype != np.float32 or array.ndim != 2 or not array.flags.c_contiguous:
        raise ValueError(
            f"out is {array.dtype} of shape {array.shape}: use float32, contiguous, of shape "
            f"(n, {_troel.N_FEATURES})"
        )
    _troel.unpack_into(rows, array)
    return array


def unpack_sparse(rows: NDArray[np.uint8]) -> SparseRows:
    """Returns the nonzero features of packed rows: about 7 % of them.

    Args:
        rows: Packed rows, as for :func:`unpack`.

    Raises:
        ValueError: A row is not a packed row of this version.
    """
    return SparseRows(*_troel.unpack_sparse(_rows(rows)))


def shared_array(buffer: Any, name: str) -> NDArray[Any]:
    """Returns an array with the memory of a numpy array or a tensor on the CPU.

    Args:
        buffer: The array or tensor.
        name: Name of the argument, for errors.

    Raises:
        TypeError: The buffer is neither.
    """
    if isinstance(buffer, np.ndarray):
        return buffer
    if hasattr(buffer, "__dlpack__") and hasattr(buffer, "__array__"):
        # Not numpy.from_dlpack, whose arrays cannot be written in older versions of numpy.
        try:
            return np.asarray(buffer)
        except (RuntimeError, TypeError) as error:
            raise TypeError(f"{name}: use a tensor on the CPU without a gradient ({error})") from error
    raise TypeError(f"{name} is {type(buffer).__name__}: use a numpy array or a tensor on the CPU")


def _rows(rows: Any) -> NDArray[np.uint8]:
    array = np.asarray(rows)
    if array.dtype != np.uint8 or array.ndim != 2:
        raise ValueError(
            f"rows are {array.dtype} of shape {array.shape}: use packed rows, uint8 of shape "
            f"(n, {_troel.PACKED_SIZE})"
        )
    return np.ascontiguousarray(array)
