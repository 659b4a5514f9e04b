"""Groups of commands one of which need not be named."""

from typing import ClassVar

from typer import Context
from typer.core import TyperGroup


class ShownByDefault(TyperGroup):
    """`eremite budget FILE` is `eremite budget show FILE`."""

    left_out: ClassVar[str] = "show"

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Put the command that was left out in its place; a shell that completes it wants to see all of them."""
        if ctx.resilient_parsing and not args:
            return super().parse_args(ctx, args)
        if not args or (args[0] not in self.commands and args[0] != "--help"):
            args = [self.left_out, *args]
        return super().parse_args(ctx, args)


class CountedByDefault(ShownByDefault):
    """`eremite forecast FILE` is `eremite forecast count FILE`."""

    left_out = "count"
