"""The public names of the package and their docstrings."""

import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib import import_module

import griffe

import eremite

#: Packages that are not meant for import by others.
#: `Release` is public as `eremite.Release`, a page as `Session.page`, and charts are what pages are made of.
INTERNAL = {"charts", "cli", "demo", "engines", "page", "queries", "release", "service"}


def public_names() -> list[str]:
    """All public names: `eremite.Session`, `eremite.Session.remaining` and so on."""
    homes = ["eremite", *(f"eremite.{package}" for package in _public_packages())]
    tops = [f"{home}.{name}" for home in homes for name in import_module(home).__all__ if not name.startswith("__")]
    return [name for top in tops for name in [top, *_members(top)]]


def docstring(name: str) -> str:
    """The docstring of a public name; empty if it has none."""
    found = _described(name).docstring
    return "" if found is None else found.value


def canonical(name: str) -> str:
    """The name of a thing in the module that defines it."""
    return _described(name).path


def _public_packages() -> Iterator[str]:
    for module in pkgutil.iter_modules(eremite.__path__):
        if module.ispkg and module.name not in INTERNAL:
            yield module.name


def _members(name: str) -> list[str]:
    """The methods and properties of a class, including inherited ones; its fields are part of its signature."""
    found = _described(name)
    if not found.is_class:
        return []
    return [f"{name}.{each}" for each, member in found.all_members.items() if _is_public_call(each, member)]


def _is_public_call(name: str, member: griffe.Object | griffe.Alias) -> bool:
    return not name.startswith("_") and (member.is_function or "property" in member.labels)


def _described(name: str) -> griffe.Object:
    found = _package()[name.removeprefix("eremite.")] if name != "eremite" else _package()
    if found.is_module and found.name in found.members:
        found = found[found.name]  # a function hides the module of the same name
    return found.final_target if isinstance(found, griffe.Alias) else found


@cache
def _package() -> griffe.Object | griffe.Alias:
    return griffe.load("eremite", search_paths=[str(import_module("eremite").__path__[0] + "/..")])
