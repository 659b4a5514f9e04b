"""The description of a dataset: everything public about it, in one TOML file written by the custodian.

Privacy numbers stay exact: `epsilon = 0.1` is the fraction 1/10, not the float nearest to it.
"""

import math
import tomllib
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Self, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    PlainValidator,
    PrivateAttr,
    Tag,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from eremite.errors import InputError
from eremite.privacy import Neighbors
from eremite.table.bounds import Bounds
from eremite.table.categories import Categories
from eremite.table.description_errors import (
    CUSTOM,
    INTERVAL,
    LISTED,
    sentence_for,
    syntax_sentence,
    unfilled_sentence,
)
from eremite.table.engine import Engine
from eremite.table.files import ending, unused_key
from eremite.table.instants import UTC, require_zone
from eremite.table.neighbors import neighbors_problem
from eremite.table.numeric import or_input_error
from eremite.table.rules import CellRules
from eremite.table.sources import source_kind, source_path, source_problem
from eremite.table.writing import Writing

LARGEST_EXPONENT = 300  # keeps fractions short; no sensible budget comes near it


def _problem(words: str) -> PydanticCustomError:
    return PydanticCustomError(CUSTOM, "{words}", {"words": words})


def _require(key: str, problem: str | None) -> None:
    if problem is not None:
        raise _problem(f"{key} {problem}")


def _number(value: object) -> int | Decimal:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise _problem("must be a number")
    if isinstance(value, Decimal) and not value.is_finite():
        raise _problem("must be a finite number")
    return value


def _float(value: object) -> float:
    try:
        return float(_number(value))
    except OverflowError:
        return math.inf  # refused by Bounds


def _bound(value: object) -> float | bool | date:
    """A number, false or true, a date, or a time of a day."""
    return value if isinstance(value, bool | date) else _float(value)


def _fill(value: object) -> Any:
    """A rule or a value to fill in; whether it fits is decided with the rest of its column."""
    return _float(value) if isinstance(value, Decimal) else value


def _listed(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise _problem('must be a list of values, as in ["A", "B"]')
    return value


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise _problem('must be a list of texts, as in ["NA", "-999"]')
    return tuple(value)


def _neighbors(value: object) -> Any:
    if value not in get_args(Neighbors):
        raise _problem('must be "replace" or "add-remove"')
    return value


def _zone(value: object) -> str:
    try:
        return require_zone(value).key
    except InputError:
        raise _problem('must be the name of a time zone, as in "Europe/Berlin"') from None


def _fraction(value: object) -> Fraction:
    number = Decimal(_number(value))
    if number and abs(number.adjusted()) > LARGEST_EXPONENT:
        raise _problem(f"must have at most {LARGEST_EXPONENT} digits before or after the point")
    return Fraction(number)


def _positive(value: Fraction) -> Fraction:
    if value <= 0:
        raise _problem("must be above 0")
    return value


def _below_one(value: Fraction) -> Fraction:
    if not 0 <= value < 1:
        raise _problem("must be at least 0 and below 1")
    return value


Exact = Annotated[Fraction, PlainValidator(_fraction)]
Text = Annotated[str, Field(min_length=1)]


class Record(BaseModel):
    """Base of the records of a description: frozen, strictly typed, and unknown keys are errors."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, hide_input_in_errors=True)


class Dataset(Record):
    """The name of a dataset, where its rows are, what they are read as, and what is protected."""

    name: Text
    source: Text = Field(repr=False)  # may hold a password
    query: str | None = Field(default=None, repr=False)
    rows_per_person: int = Field(default=1, ge=1)
    neighbors: Annotated[Neighbors, PlainValidator(_neighbors)] = "replace"
    rows_about: int | None = Field(default=None, ge=1)
    stand_in: Text | None = None
    separator: str | None = None
    decimal: str = "."
    encoding: str = "utf-8"
    sheet: str | None = None
    missing_values: Annotated[tuple[str, ...], PlainValidator(_texts)] = ()
    time_zone: Annotated[str, PlainValidator(_zone)] = UTC

    @model_validator(mode="after")
    def _check(self) -> Self:
        _require(".source", source_problem(self.source, self.query))
        if self.stand_in is not None and source_kind(self.stand_in) != "file":
            raise _problem(".stand_in must be a file of public rows")
        _require(".stand_in", None if self.stand_in is None else source_problem(self.stand_in, None))
        try:
            _ = self.writing
        except InputError as error:
            raise _problem(f".{error}") from None
        unused = unused_key(self.model_fields_set, filter(None, (self.source, self.stand_in)))
        _require(f".{unused}", None if unused is None else "says nothing about this kind of source; remove it")
        problem = neighbors_problem(self.neighbors, self.rows_about)
        if problem is not None:
            raise _problem(f".{problem}")
        return self

    @property
    def writing(self) -> Writing:
        """How the file is written; the same holds for the stand-in."""
        return Writing(self.separator, self.decimal, self.encoding, self.sheet)


class Interval(Record):
    """A coordinate, as the file writes it: its bounds, and the rule for missing cells."""

    min: Annotated[Any, PlainValidator(_bound)]
    max: Annotated[Any, PlainValidator(_bound)]
    missing: Annotated[Any, PlainValidator(_fill)] = "refuse"

    @model_validator(mode="after")
    def _check(self) -> Self:
        try:
            self.bounds()
        except InputError as error:
            raise _problem(f"does not fit: {error}") from None
        return self

    def bounds(self) -> Bounds:
        """The record that the rest of eremite uses."""
        return Bounds(self.min, self.max)


class Listed(Record):
    """A category column, as the file writes it."""

    categories: Annotated[list[Any], PlainValidator(_listed)]
    other: Annotated[Any, PlainValidator(_fill)] = "refuse"
    missing: Annotated[Any, PlainValidator(_fill)] = "refuse"

    @model_validator(mode="before")
    @classmethod
    def _check_bounds(cls, value: Any) -> Any:
        if isinstance(value, dict) and value.keys() & {"min", "max"}:
            raise _problem("has both bounds and categories; keep one of the two")
        return value

    @model_validator(mode="after")
    def _check(self) -> Self:
        try:
            self.record()
        except InputError as error:
            raise _problem(f"does not fit: {error}") from None
        return self

    def record(self) -> Categories:
        """The record that the rest of eremite uses."""
        return Categories(tuple(self.categories), self.other, self.missing)


def _tag(column: Any) -> str:
    return LISTED if isinstance(column, dict | Listed) and _has_categories(column) else INTERVAL


def _has_categories(column: dict[str, Any] | Listed) -> bool:
    return isinstance(column, Listed) or "categories" in column


Column = Annotated[Annotated[Interval, Tag(INTERVAL)] | Annotated[Listed, Tag(LISTED)], Discriminator(_tag)]


class Budget(Record):
    """The most that all releases together may spend. `delta` 0 is pure differential privacy."""

    epsilon: Annotated[Exact, AfterValidator(_positive)]
    delta: Annotated[Exact, AfterValidator(_below_one)] = Fraction(0)


class Engines(Record):
    """Where the table is counted, as the file writes it."""

    kind: Any = "auto"
    memory: Any = None
    scratch: Text | None = None
    resume: Any = False
    master: Text | None = None
    max_low_rows: Any = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        try:
            self.record()
        except InputError as error:
            raise _problem(f"does not fit: {str(error).removesuffix('.')}") from None
        return self

    def record(self) -> Engine:
        """The record that the rest of eremite uses."""
        return Engine(**self.model_dump())


class Description(Record):
    """All public facts about a dataset, except the number of its rows where that is public."""

    dataset: Dataset
    columns: dict[str, Column] = Field(min_length=1, repr=False)
    budget: Budget | None = None
    engine: Engines = Engines()
    _path: Path = PrivateAttr()

    def model_post_init(self, context: Any) -> None:
        """Keep the path of the file, given as validation context."""
        self._path = context["path"]

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not self.bounds:
            raise _problem("columns has no column with bounds; add a line such as bmi = { min = 10, max = 60 }")
        try:
            self.rules()
        except InputError as error:
            raise _problem(f"columns does not fit: {str(error).removesuffix('.')}") from None
        return self

    @property
    def path(self) -> Path:
        """The description file."""
        return self._path

    @property
    def source_path(self) -> Path:
        """The file of a file or SQLite source; relative paths start in the description's folder."""
        return source_path(self.dataset.source, self._path.parent)

    @property
    def stand_in_path(self) -> Path | None:
        """The file of public rows; None if the description names none."""
        stand_in = self.dataset.stand_in
        return None if stand_in is None else source_path(stand_in, self._path.parent)

    @property
    def bounds(self) -> Mapping[str, Bounds]:
        """The public bounds of the coordinates, by column name."""
        return {name: column.bounds() for name, column in self.columns.items() if isinstance(column, Interval)}

    def rules(self) -> CellRules:
        """What the cells of each column become."""
        missing = {name: column.missing for name, column in self.columns.items() if isinstance(column, Interval)}
        listed = {name: column.record() for name, column in self.columns.items() if isinstance(column, Listed)}
        spelled = self.dataset.writing.with_points(self.dataset.missing_values)
        return CellRules.of(self.bounds, missing, listed, spelled, self.dataset.time_zone)


def read_description(path: str | Path) -> Description:
    """Read and check a description file; every problem is one sentence that names the file and the key."""
    path = Path(path)
    raw = _parse(path, _text(path))
    unfilled = unfilled_sentence(path, raw)
    if unfilled is not None:
        raise InputError(unfilled)
    try:
        return Description.model_validate(raw, context={"path": path})
    except ValidationError as error:
        sentence = sentence_for(path, error, Description)
    raise InputError(sentence)  # outside of except: pydantic's error, with the whole input, must not be its context


def _text(path: Path) -> str:
    if or_input_error(path.is_dir, f"{path} cannot be opened; check its name and the permissions of its folder."):
        raise InputError(f"{path} is a folder; give the description file inside it.")
    if not path.exists():
        raise InputError(f"{path} does not exist; write a description with: eremite init FILE")
    if ending(path.name) is not None:
        raise InputError(f"{path} is a data file; give its description instead, which eremite init writes.")
    content = or_input_error(path.read_bytes, f"{path} cannot be opened; check its permissions.")
    return or_input_error(lambda: content.decode("utf-8-sig"), f"{path} is not UTF-8 text; save it as UTF-8.")


def _parse(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError) as error:
        sentence = syntax_sentence(path, error)
    raise InputError(sentence)
