"""Commands as typed in a shell."""

from itertools import pairwise

NEXT = "\n"  # between two commands


def shell(command: tuple[str, ...], width: int = 76) -> str:
    """The command with a prompt, on several lines if it is wide; lines break only between its parts."""
    lines = [f"$ {command[0]}"]
    for before, part in pairwise(command):
        if NEXT in (before, part):
            lines += [f"$ {part}"] * (part != NEXT)
        elif len(lines[-1]) + len(part) < width:
            lines[-1] += f" {part}"
        else:
            lines[-1] += " \\"
            lines.append(f"    {part}")
    return "\n".join(lines)
