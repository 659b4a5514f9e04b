"""The private table and what is public about it.

Public names: `Table`, what is declared about it (`DeclaredTable`), its `Bounds`, `Categories` and public `Facts`, and
`Part`, the rows that take part in a question; `Description`, `Dataset` and `Budget`, read by `read_description`;
`open_table` and `open_stand_in`, which turn a description into tables; `Engine`, where a table is counted;
`write_starter`, which writes a first description; `Writing`, how a file is written.
"""

from eremite.table.bounds import Bounds
from eremite.table.categories import Categories
from eremite.table.declared import DeclaredTable
from eremite.table.description import Budget, Dataset, Description, read_description
from eremite.table.engine import Engine
from eremite.table.facts import Facts
from eremite.table.opening import open_stand_in, open_table
from eremite.table.part import Part
from eremite.table.starter import Starter, write_starter
from eremite.table.table import Table
from eremite.table.writing import Writing

__all__ = [
    "Bounds",
    "Budget",
    "Categories",
    "Dataset",
    "DeclaredTable",
    "Description",
    "Engine",
    "Facts",
    "Part",
    "Starter",
    "Table",
    "Writing",
    "open_stand_in",
    "open_table",
    "read_description",
    "write_starter",
]
