"""Tables that are counted where they are: in files larger than memory, or on a cluster (`tiles.proof.md`).

Rows are put into tiles by their own coordinates. Each tile counts its rows; rows that may have neighbors in other tiles
visit them. What comes together on the machine that asks are the rows with few neighbors.
"""

from eremite.tiles.opening import open_rows
from eremite.tiles.table import AnyPart, AnyTable, TiledPart, TiledTable, tiled_table

__all__ = ["AnyPart", "AnyTable", "TiledPart", "TiledTable", "open_rows", "tiled_table"]
