"""Groups of commands that run one of their commands when none is named."""

from typing import ClassVar

from typer import Context
from typer.core import TyperGroup


class ShowByDefault(TyperGroup):
    """`eremite budget FILE` runs `eremite budget show FILE`."""

    default_command: ClassVar[str] = "show"

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Insert the default command where none is named, except while a shell completes the name of one."""
        if ctx.resilient_parsing and not args:
            return super().parse_args(ctx, args)
        if not args or (args[0] not in self.commands and args[0] != "--help"):
            args = [self.default_command, *args]
        return super().parse_args(ctx, args)


class CountByDefault(ShowByDefault):
    """`eremite forecast FILE` runs `eremite forecast count FILE`."""

    default_command = "count"
