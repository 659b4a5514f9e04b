"""Every way to get a description wrong, and the sentence that says so."""

from pathlib import Path

import pytest

from eremite.table import read_description
from tests.refusals import refused

DATASET = '[dataset]\nname = "patients"\nsource = "patients.csv"\n'
COLUMNS = "[columns]\nbmi = { min = 10, max = 60 }\nglucose = { min = 40.5, max = 4e2 }\n"
BUDGET = "[budget]\nepsilon = 0.1\ndelta = 1e-6\n"
URL = "postgresql://alice:SECRETWORD@host/db"


def columns(lines: str) -> str:
    return f"{DATASET}[columns]\n{lines}\n"


def with_ward(keys: str) -> str:
    return columns(f"a = {{ min = 0, max = 1 }}\nward = {{ {keys} }}")


def budget(lines: str) -> str:
    return f"{DATASET}{COLUMNS}[budget]\n{lines}\n"


def with_source(line: str) -> str:
    return f'[dataset]\nname = "p"\n{line}\n{COLUMNS}'


WRONG = {
    # name: (text, words of the sentence)
    "unknown section": (
        DATASET + COLUMNS + "[bugdet]\nepsilon = 1\n",
        ["unknown key bugdet", "did you mean budget?"],
    ),
    "unknown key": (
        DATASET + "color = 1\n" + COLUMNS,
        ["unknown key dataset.color", "remove it", "rows_per_person"],
    ),
    "misspelt key": (
        with_source('sorce = "a.csv"'),
        ["unknown key dataset.sorce", "did you mean source?", "1 more"],
    ),
    "misspelt bound": (columns("bmi = { min = 1, mx = 2 }"), ["columns.bmi.mx", "did you mean max?"]),
    "misspelt bound of min": (columns("min = { min = 1, mx = 2 }"), ["columns.min.mx", "did you mean max?"]),
    "unquoted dot": (columns("a.b = { min = 1, max = 2 }"), ["columns.a.b", "the keys here are min, max, missing"]),
    "misspelt budget": (budget("epsilon = 1\ndleta = 0"), ["budget.dleta", "mean delta?"]),
    "no dataset": (COLUMNS, ["has no dataset", "add [dataset]"]),
    "no columns": (DATASET, ["has no columns", "bmi = { min = 10, max = 60 }"]),
    "no name": ('[dataset]\nsource = "a.csv"\n' + COLUMNS, ["has no dataset.name"]),
    "no source": (with_source(""), ["has no dataset.source"]),
    "no max": (columns('"b m.i" = { min = 1 }'), ['has no columns."b m.i".max', "{ min = ..., max = ... }"]),
    "no epsilon": (budget("delta = 0"), ["has no budget.epsilon", "epsilon = 1.0"]),
    "zero columns": (columns(""), ["columns names no column"]),
    "columns not a table": ("columns = 3\n" + DATASET, ["columns must be a section"]),
    "column not a table": (columns("bmi = 3"), ["columns.bmi must be a section or { ... }"]),
    "dataset not a table": ("dataset = 3\n" + COLUMNS, ["dataset must be a section"]),
    "min above max": (
        columns("bmi = { min = 60, max = 10 }"),
        ["columns.bmi does not fit", "below max 10.0"],
    ),
    "min equal to max": (columns("bmi = { min = 1, max = 1 }"), ["columns.bmi does not fit", "below"]),
    "nan bound": (columns("bmi = { min = nan, max = 1 }"), ["columns.bmi.min must be a finite number"]),
    "infinite bound": (columns("bmi = { min = 1, max = inf }"), ["columns.bmi.max must be a finite"]),
    "huge bound": (columns("bmi = { min = 1, max = 1e999 }"), ["columns.bmi does not fit", "finite"]),
    "huge integer bound": (columns(f"bmi = {{ min = 1, max = 1{'0' * 400} }}"), ["columns.bmi", "finite"]),
    "bounds far apart": (
        columns("bmi = { min = -1.5e308, max = 1.5e308 }"),
        ["columns.bmi", "too far apart"],
    ),
    "true below false": (columns("a = { min = true, max = false }"), ["columns.a does not fit", "below max false"]),
    "true as a bound of numbers": (columns("a = { min = 0, max = true }"), ["columns.a does not fit", "both dates"]),
    "date among numbers": (columns("a = { min = 2020-01-01, max = 3 }"), ["columns.a does not fit", "both dates"]),
    "date with a zone": (
        columns("a = { min = 2020-01-01T00:00:00Z, max = 2021-01-01 }"),
        ["columns.a does not fit", "without a time zone, which time_zone declares"],
    ),
    "unknown rule": (
        columns('a = { min = 1, max = 2, missing = "drop" }'),
        ["missing of column 'a' must be", "leave-out"],
    ),
    "fill out of bounds": (
        columns("a = { min = 1, max = 2, missing = 2.5 }"),
        ["missing of column 'a' must lie between min 1.0 and max 2.0"],
    ),
    "fill of another kind": (
        columns("a = { min = 2020-01-01, max = 2021-01-01, missing = 3 }"),
        ["missing of column 'a' must be a date or time"],
    ),
    "fill for booleans": (columns("a = { min = false, max = true, missing = 1 }"), ["must be true or false"]),
    "fill true for numbers": (columns("a = { min = 0, max = 1, missing = true }"), ["must be a number"]),
    "unfilled categories": (
        with_ward("categories = []"),
        [
            "still needs categories for ward",
            "list in each [] the values that can occur",
            "not from the data",
        ],
    ),
    "categories not a list": (with_ward('categories = "A"'), ["columns.ward.categories must be a list of values"]),
    "category of no kind": (with_ward("categories = [1.5]"), ["columns.ward does not fit", "a whole number"]),
    "blank category": (with_ward('categories = ["A", " "]'), ["columns.ward does not fit", "not blank"]),
    "category twice": (with_ward('categories = ["A", "B", " A"]'), ["columns.ward does not fit", "listed twice"]),
    "number twice": (with_ward('categories = [1, "1.0"]'), ["columns.ward does not fit", "listed twice"]),
    "truth twice": (with_ward('categories = [true, "Yes"]'), ["columns.ward does not fit", "listed twice"]),
    "categories and bounds": (
        with_ward('categories = ["A"], min = 1'),
        ["columns.ward has both bounds and categories; keep one of the two"],
    ),
    "unknown other": (with_ward('categories = ["A"], other = "drop"'), ['other must be "refuse" or "keep"']),
    "other is listed": (with_ward('categories = ["other"], other = "keep"'), ['"other" is listed']),
    "missing is not listed": (
        with_ward('categories = ["A"], missing = "B"'),
        ["columns.ward does not fit", "one of the listed categories"],
    ),
    "misspelt other": (with_ward('categories = ["A"], oter = "keep"'), ["columns.ward.oter", "mean other?"]),
    "category means missing": (
        DATASET + 'missing_values = ["NA"]\n[columns]\na = { min = 0, max = 1 }\nward = { categories = ["NA"] }\n',
        ["Column 'ward' does not fit: 'NA' is a category and is also among missing_values"],
    ),
    "truth means missing": (
        DATASET + 'missing_values = ["0"]\n[columns]\na = { min = false, max = true }\n',
        ["Column 'a' does not fit: '0' is a category"],
    ),
    "categories alone": (columns('ward = { categories = ["A"] }'), ["columns has no column with bounds"]),
    "missing values not a list": (
        DATASET + 'missing_values = "NA"\n' + COLUMNS,
        ["dataset.missing_values", "list of texts"],
    ),
    "unknown zone": (DATASET + 'time_zone = "Berlin"\n' + COLUMNS, ["dataset.time_zone", "Europe/Berlin"]),
    "unknown relation": (DATASET + 'neighbors = "add"\n' + COLUMNS, ["dataset.neighbors must be", "add-remove"]),
    "relation without rows about": (
        DATASET + 'neighbors = "add-remove"\n' + COLUMNS,
        ['dataset.neighbors = "add-remove"', "needs rows_about"],
    ),
    "rows about zero": (
        DATASET + 'neighbors = "add-remove"\nrows_about = 0\n' + COLUMNS,
        ["dataset.rows_about must be 1 or more"],
    ),
    "rows about in vain": (DATASET + "rows_about = 20000\n" + COLUMNS, ["dataset.rows_about is for", "is public"]),
    "text as a bound": (columns('bmi = { min = "1", max = 2 }'), ["columns.bmi.min must be a number"]),
    "unfilled bounds and categories": (
        columns('bmi = { min = "?", max = "?" }\nward = { categories = [] }'),
        ["still needs bounds for bmi;", 'replace each "?"', "fill each categories = [], of ward, with the values"],
    ),
    "unfilled bounds": (
        columns('bmi = { min = "?", max = "?" }\nok = { min = 0, max = 1 }\n"a b" = { min = 0, max = "?" }'),
        ['still needs bounds for bmi and "a b"', "not from the data"],
    ),
    "true as a name": (
        '[dataset]\nname = true\nsource = "a.csv"\n' + COLUMNS,
        ["dataset.name must be text in quotes"],
    ),
    "empty name": ('[dataset]\nname = ""\nsource = "a.csv"\n' + COLUMNS, ["dataset.name must not be empty"]),
    "rows per person zero": (
        DATASET + "rows_per_person = 0\n" + COLUMNS,
        ["dataset.rows_per_person must be 1 or more"],
    ),
    "rows per person half": (
        DATASET + "rows_per_person = 1.5\n" + COLUMNS,
        ["rows_per_person must be a whole number"],
    ),
    "rows per person true": (
        DATASET + "rows_per_person = true\n" + COLUMNS,
        ["rows_per_person must be a whole number"],
    ),
    "epsilon zero": (budget("epsilon = 0"), ["budget.epsilon must be above 0"]),
    "epsilon negative": (budget("epsilon = -0.1"), ["budget.epsilon must be above 0"]),
    "epsilon nan": (budget("epsilon = nan"), ["budget.epsilon must be a finite number"]),
    "epsilon infinite": (budget("epsilon = inf"), ["budget.epsilon must be a finite number"]),
    "epsilon true": (budget("epsilon = true"), ["budget.epsilon must be a number"]),
    "epsilon text": (budget('epsilon = "1"'), ["budget.epsilon must be a number"]),
    "epsilon enormous": (budget("epsilon = 1e999999999"), ["budget.epsilon", "300 digits"]),
    "epsilon beyond decimals": (budget(f"epsilon = 1e{'9' * 30}"), ["not valid TOML"]),
    "delta one": (budget("epsilon = 1\ndelta = 1"), ["budget.delta must be at least 0"]),
    "delta negative": (budget("epsilon = 1\ndelta = -1e-9"), ["budget.delta must be at least 0"]),
    "delta tiny": (budget("epsilon = 1\ndelta = 1e-999999999"), ["budget.delta", "300 digits"]),
    "syntax": (
        DATASET + "rows_per_person = = 3\n" + COLUMNS,
        ["not valid TOML at line 4, column", "correct the syntax there."],
    ),
    "syntax with a password": (f'[dataset]\nsource = "{URL}\n', ["not valid TOML at line 2"]),
    "syntax at the end": ("[dataset", ["not valid TOML at end of document"]),
    "long integer": ("a = 1" + "0" * 5000, ["not valid TOML; correct its syntax."]),
    "deep nesting": ("a = " + "[" * 5000, ["not valid TOML; correct its syntax."]),
    "same column twice": (DATASET + COLUMNS + "bmi = { min = 0, max = 1 }\n", ["same key twice at line 7"]),
    "same section twice": (DATASET + COLUMNS + DATASET, ["same key twice"]),
    "unknown ending": (
        with_source('source = "patients.sav"'),
        ["dataset.source has an unknown ending", ".parquet"],
    ),
    "separator of two characters": (DATASET + 'separator = ";;"\n' + COLUMNS, ["dataset.separator must be one"]),
    "unknown encoding": (DATASET + 'encoding = "latin-l"\n' + COLUMNS, ["dataset.encoding must be one that"]),
    "unknown decimal": (DATASET + 'decimal = ";"\n' + COLUMNS, ['dataset.decimal must be "." or ","']),
    "separator of Parquet": (
        with_source('source = "a.parquet"\nseparator = ";"'),
        ["dataset.separator says nothing about this kind of source; remove it"],
    ),
    "encoding of a database": (
        with_source(f'source = "{URL}"\nquery = "SELECT 1"\nencoding = "latin-1"'),
        ["dataset.encoding says nothing about this kind of source"],
    ),
    "sheet of a text file": (with_source('source = "a.csv"\nsheet = "x"'), ["dataset.sheet says nothing about"]),
    "unknown database": (
        with_source('source = "mysql://u:SECRETWORD@h/d"'),
        ["unknown kind of database", "sqlite:///path or postgresql://host/database."],
    ),
    "database without query": (with_source(f'source = "{URL}"'), ["dataset.source is a database", "SELECT"]),
    "file with query": (
        DATASET + 'query = "SELECT 1"\n' + COLUMNS,
        ["takes no query", "remove dataset.query"],
    ),
    "sqlite without path": (with_source('source = "sqlite://x.db"\nquery = "SELECT 1"'), ["sqlite:///path"]),
    "two statements": (
        with_source(f'source = "{URL}"\nquery = "SELECT 1; DELETE FROM t"'),
        ["one SELECT statement"],
    ),
    "not a select": (with_source(f'source = "{URL}"\nquery = "DELETE FROM t"'), ["one SELECT statement"]),
    "stand-in not a file": (DATASET + f'stand_in = "{URL}"\n' + COLUMNS, ["dataset.stand_in must be a file"]),
    "stand-in of unknown ending": (
        DATASET + 'stand_in = "public.doc"\n' + COLUMNS,
        ["dataset.stand_in has an unknown ending"],
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_description_error_names_file_and_key(tmp_path: Path, case: str) -> None:
    text, words = WRONG[case]
    path = tmp_path / "patients.toml"
    path.write_text(text, encoding="utf-8")
    sentence = refused(lambda: read_description(path))
    assert str(path) in sentence
    assert sentence.endswith((".", "?"))
    assert not sentence.endswith(("?.", ".."))
    assert not [word for word in words if word not in sentence], sentence
