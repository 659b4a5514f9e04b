"""A figure that shows itself, in the letters of its names."""

from functools import cache
from typing import Any

from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager
from matplotlib.text import Text

from eremite.plots.files import svg

# matplotlib's own font has no Chinese, Japanese or Korean letters. Fonts that do, as systems name them.
_EAST_ASIAN = (
    "Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans JP", "Noto Sans SC", "Noto Sans KR", "Source Han Sans",
    "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Hiragino Sans", "PingFang SC", "Apple SD Gothic Neo",
    "Microsoft YaHei", "Yu Gothic", "Malgun Gothic", "Arial Unicode MS",
)  # fmt: skip


class Picture(Figure):
    """A matplotlib figure that no window opens for, and that notebooks show when it is a cell's result.

    Letters that its own font has not are taken from the fonts of this machine; where none has them, they are boxes.
    """

    def draw(self, renderer: Any) -> None:
        """Draw it. Whatever the first font has looks as it would without the others."""
        for words in self.findobj(Text):
            words.set_fontfamily(list(dict.fromkeys([*words.get_fontfamily(), *_installed()])))
        super().draw(renderer)

    def _repr_svg_(self) -> str:
        return svg(self)


@cache
def _installed() -> tuple[str, ...]:
    here = {font.name for font in fontManager.ttflist}
    return tuple(name for name in _EAST_ASIAN if name in here)
