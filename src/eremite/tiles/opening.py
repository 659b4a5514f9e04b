"""Open the private table that a description points to, wherever its rows are counted."""

from eremite.errors import InputError
from eremite.table import Description, Engine, open_table
from eremite.table.batches import shape_of
from eremite.table.opening import place_of
from eremite.table.sources import SPARK_TABLE, source_kind
from eremite.tiles.files import FilesSource
from eremite.tiles.spark import of_frame
from eremite.tiles.spark_session import EVERY_CORE, open_files, open_spark, spark_frame
from eremite.tiles.store import Reading, Source
from eremite.tiles.table import AnyTable, tiled_table

# A table takes so many times the memory of its numbers while it is counted.
_IN_MEMORY = 6


def open_rows(description: Description, engine: Engine | None = None) -> AnyTable:
    """The table of a description, for the engine of the description or another one. Errors are as of `open_table`."""
    chosen = engine or description.engine.record()
    kind = _kind(description, chosen)
    if kind == "memory":
        return open_table(description)
    reading = Reading(description.rules(), place_of(description))
    source = _files(description, chosen, reading) if kind == "files" else _spark(description, chosen, reading)
    dataset = description.dataset
    facts = (dataset.rows_per_person, dataset.neighbors, dataset.rows_about)
    return tiled_table(source, reading, facts, chosen)


def _kind(description: Description, engine: Engine) -> str:
    """The engine that counts; "auto" looks at the kind of the source and at the size of the file."""
    kind = source_kind(description.dataset.source)
    if engine.kind == "auto":
        if kind == "spark":
            return "spark"
        return "files" if kind == "file" and _is_large(description, engine.memory_bytes()) else "memory"
    if engine.kind == "files" and kind != "file":
        raise InputError(f"The source of {description.path} is no file; choose another engine than files.")
    if engine.kind == "spark" and kind not in ("file", "spark"):
        raise InputError(f"The source of {description.path} is a database; choose another engine than spark.")
    return engine.kind


def _is_large(description: Description, memory: int) -> bool:
    """Whether the numbers of a file that can be read piece by piece take more than this memory.

    Questions can be refused by one engine and not by another, so a private number of rows does not choose between them.
    """
    shape, dataset = shape_of(description.source_path), description.dataset
    if shape is None:
        return False
    rows = shape[0] if dataset.neighbors == "replace" else dataset.rows_about or 0
    return rows * len(description.bounds) * 8 * _IN_MEMORY > memory


def _files(description: Description, engine: Engine, reading: Reading) -> Source:
    memory, scratch = engine.memory_bytes(), engine.scratch_folder()
    return FilesSource(description.source_path, reading, memory=memory, scratch=scratch, resume=engine.resume)


def _spark(description: Description, engine: Engine, reading: Reading) -> Source:
    """The rows of files that every machine of the cluster has at this path, or of what Spark alone can read."""
    name, master = description.dataset.source, engine.master or EVERY_CORE
    if source_kind(name) == "file":
        return open_files(master, description.source_path.resolve(), reading)
    return of_frame(spark_frame(open_spark(master), name.removeprefix(SPARK_TABLE)), reading)
