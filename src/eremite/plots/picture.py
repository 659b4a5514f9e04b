"""A figure that notebooks show, with fonts for the letters in its names."""

from functools import cache
from typing import Any

from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager
from matplotlib.text import Text

from eremite.plots.files import svg

# Common fonts with Chinese, Japanese or Korean letters, which matplotlib's own font lacks.
_EAST_ASIAN = (
    "Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans JP", "Noto Sans SC", "Noto Sans KR", "Source Han Sans",
    "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Hiragino Sans", "PingFang SC", "Apple SD Gothic Neo",
    "Microsoft YaHei", "Yu Gothic", "Malgun Gothic", "Arial Unicode MS",
)  # fmt: skip


class Picture(Figure):
    """A matplotlib figure that opens no window, and that a notebook shows as the result of a cell.

    Letters that its font lacks are taken from fonts of this machine, or drawn as boxes if no font has them.
    """

    def draw(self, renderer: Any) -> None:
        """Draw the figure. The other fonts are used only for letters that the first one lacks."""
        for words in self.findobj(Text):
            words.set_fontfamily(list(dict.fromkeys([*words.get_fontfamily(), *_installed()])))
        super().draw(renderer)

    def _repr_svg_(self) -> str:
        return svg(self)


@cache
def _installed() -> tuple[str, ...]:
    here = {font.name for font in fontManager.ttflist}
    return tuple(name for name in _EAST_ASIAN if name in here)
