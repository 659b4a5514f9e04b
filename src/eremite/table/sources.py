"""The kinds of sources, told by the text of `source`: a data file, a database, or what Spark alone can read."""

from pathlib import Path
from typing import Literal

from eremite.table.files import ENDINGS, ending
from eremite.table.queries import is_one_select

Kind = Literal["file", "sqlite", "postgresql", "spark"]
#: Where Spark finds Parquet files that are not on this machine; spark-table://name is a table that Spark knows.
_OF_SPARK = ("hdfs", "s3a", "abfss", "gs")
SPARK_TABLE = "spark-table://"
SCHEMES: dict[str, Kind] = {
    "sqlite": "sqlite",
    "postgresql": "postgresql",
    "postgres": "postgresql",
    "spark-table": "spark",
    **dict.fromkeys(_OF_SPARK, "spark"),
}
SQLITE = "sqlite:///"


def source_kind(source: str) -> Kind | None:
    """The kind of a source; None for a database that eremite does not know."""
    return SCHEMES.get(source.split("://")[0].lower()) if "://" in source else "file"


def source_path(source: str, folder: Path) -> Path:
    """The file of a file or SQLite source; a relative path starts in `folder`, where the description is."""
    return folder / source.removeprefix(SQLITE)


def source_problem(source: str, query: str | None) -> str | None:
    """What is wrong with a source and its query, as the end of a sentence; None if both are valid.

    The source itself is not repeated: it may hold a password.
    """
    kind = source_kind(source)
    if kind is None:
        return (
            "is no file of this machine, and names an unknown kind of database; download the file and give its path, "
            "or use sqlite:///path or postgresql://host/database"
        )
    if kind == "file":
        return _file_problem(source, query)
    if kind == "spark":
        return None if query is None else "is read by Spark, which takes no query; remove dataset.query"
    if kind == "sqlite" and not source.startswith(SQLITE):
        return "must name an SQLite file as sqlite:///path"
    if query is None:
        return 'is a database, which needs a query; add query = "SELECT ... FROM ..." to [dataset]'
    return None if is_one_select(query) else "needs a query that is one SELECT statement; correct dataset.query"


def _file_problem(source: str, query: str | None) -> str | None:
    if ending(source) is None:
        return f"has an unknown ending; eremite reads {ENDINGS}, or a database URL with a query"
    return "is a file, which takes no query; remove dataset.query or give a database URL" if query else None
