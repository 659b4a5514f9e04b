"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
DescriptionFile = Annotated[Path, typer.Argument(help="The description file (.toml).")]
MinNeighbors = Annotated[int, typer.Option("-k", "--min-neighbors", help="A row with fewer neighbours is an outlier.")]
Radius = Annotated[float, typer.Option("-r", "--radius", help="How near a neighbour is; distances run from 0 to 1.")]
Epsilon = Annotated[str, typer.Option("--epsilon", help="What to spend, taken as written: 0.2 or 1/3.")]
Delta = Annotated[str, typer.Option("--delta", help="What to spend beside epsilon; 0 is pure.")]
Columns = Annotated[str | None, typer.Option("--columns", help="Names with commas between them; default: all columns.")]
