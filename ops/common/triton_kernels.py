"""What the operators' triton.py files share: how a variant of a kernel is described.

A variant is one cubin: a kernel, the dtypes of its pointers, its compile-time constants, and whether its pointers
and strides are known to be multiples of 16 ("aligned": 16-byte accesses) or nothing is known ("generic").
`key` is how C++ finds it (common/triton_launch.h); both sides build it from the same parts in the same order.
"""
import dataclasses
from typing import Any, Callable

DTYPES = {"fp32": "fp32", "fp16": "fp16", "bf16": "bf16"}
ROW_BLOCKS = (256, 1024, 2048, 4096, 8192, 16384)  # a row in one tile of this many columns
LOOP_BLOCK = 4096  # longer rows are walked in tiles of this many


@dataclasses.dataclass(frozen=True)
class Variant:
    key: str
    function: Callable
    types: dict[str, str]  # runtime arguments in order; pointers as "*bf16"
    constants: dict[str, Any]
    num_warps: int
    aligned: bool
    min_arch: int = 80

    def multiples_of_16(self) -> list[str]:
        """Arguments that an aligned variant may take for multiples of 16: pointers, strides and columns."""
        if not self.aligned:
            return []
        return [name for name, type_ in self.types.items()
                if type_.startswith("*") or name.endswith("_stride") or name == "cols"]


def warps(block: int) -> int:
    """Threads for a tile of `block` elements: 16 elements each, between 4 and 32 warps."""
    return max(4, min(32, block // 512))


def row_tile(block: int) -> int:
    """Rows a program takes at once: short rows share a program so that it has enough loads on their way."""
    return max(1, 2048 // block)


def suffix(aligned: bool) -> str:
    return "aligned" if aligned else "generic"
