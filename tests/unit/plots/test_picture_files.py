"""Pictures as files and as SVG within a page."""

import os
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from eremite import InputError
from eremite.plots import checked_file, picture, svg, write
from eremite.plots.look import BLACK, BLUE, GRAY, GREEN, ORANGE, RED, ink
from tests.unit.plots.made import made, release


def test_svg_is_one_element_that_needs_and_touches_nothing_else():
    text = svg(made()[2].plot())
    root = ElementTree.fromstring(text)  # noqa: S314 -- our own
    assert text.startswith("<svg ")
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"] == "Drawn as the sets of columns with the most outliers"
    assert "outlier: a row with fewer than" in root[0].text  # the first child, <desc>: the words below the picture
    assert not re.search(
        r"<script|<style|<metadata|<!|<\?|@import|https?://(?!www\.w3\.org/(2000/svg|1999/xlink))", text
    )
    referred = set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', text))
    known = [node.attrib["id"] for node in root.iter() if "id" in node.attrib]
    assert {first or second for first, second in referred} <= set(known)
    assert len(referred) > 5


def test_svgs_of_two_figures_share_no_id():
    ids = [set(re.findall(r' id="([^"]+)"', svg(one.plot()))) for one in made()]
    assert sum(map(len, ids)) == len(set.union(*ids))


def test_svg_escapes_names():
    text = svg(release("count_outliers", 3, columns=('"><script>alert(1)</script>', "--><b>")).plot())
    root = ElementTree.fromstring(text)  # noqa: S314 -- our own
    assert root.attrib["aria-label"].startswith('3 outliers (with noise) in "><script>')
    assert "<script" not in text
    assert "<b>" not in text


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf", ".SVG"])
def test_file_is_the_same_for_the_same_picture(tmp_path, suffix):
    for name in ("a", "b"):
        write(made()[1].plot(), tmp_path / f"{name}{suffix}")
    starts = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}
    written = (tmp_path / f"a{suffix}").read_bytes()
    assert written.startswith(starts[suffix.lower()])
    assert written == (tmp_path / f"b{suffix}").read_bytes()
    write(made()[0].plot(), tmp_path / f"a{suffix}")
    assert (tmp_path / f"a{suffix}").read_bytes() != written


def test_file_is_named_as_the_picture_is(tmp_path):
    for suffix in (".svg", ".png", ".pdf"):
        write(release("count_outliers", 3, columns=("a&b",)).plot(), tmp_path / f"a{suffix}")
    assert "<title>3 outliers (with noise) in a&amp;b</title>" in (tmp_path / "a.svg").read_text()
    assert all(b"in a&b" in (tmp_path / name).read_bytes() for name in ("a.png", "a.pdf"))


def test_picture_without_a_title_is_named_after_its_axes():
    figure = Figure()
    figure.subplots().set(xlabel=r"$\epsilon$", ylabel="error")
    assert 'aria-label="error over epsilon"' in svg(figure)


def test_words_in_color_can_be_read():
    colors = (BLACK, BLUE, GREEN, GRAY, ORANGE, RED)
    assert min(1.05 / (_luminance(ink(color)) + 0.05) for color in colors) >= 4.5  # WCAG 2, on white


def _luminance(color):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_letter_that_the_first_font_has_not_is_taken_from_another(monkeypatch):
    """STIX, which matplotlib brings along, stands for a font with Chinese letters."""
    drawn = {}
    for fonts in ((), ("STIXGeneral",)):
        monkeypatch.setattr(picture, "_installed", lambda fonts=fonts: fonts)
        drawn[fonts] = [svg(release("count_outliers", 3, columns=(name,)).plot()) for name in ("plain", "\u2315")]
    assert drawn[()][0] == drawn["STIXGeneral",][0]
    assert "STIXGeneral" not in drawn[()][1]
    assert "STIXGeneral" in drawn["STIXGeneral",][1]


def test_file_is_checked_without_a_trace(tmp_path):
    assert checked_file(tmp_path / "a.svg") == tmp_path / "a.svg"
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "old.png").write_text("old")
    checked_file(tmp_path / "old.png")
    assert (tmp_path / "old.png").read_text() == "old"


def test_file_that_cannot_be_written_is_said_in_a_sentence(tmp_path):
    (tmp_path / "folder.svg").mkdir()
    (tmp_path / "file").write_text("")
    for name, why in (
        ("a.gif", "must end in .svg, .png, .pdf"),
        ("a", "must end in"),
        ("none/a.svg", "No such file or directory"),
        ("file/a.svg", "Not a directory"),
        ("folder.svg", "Is a directory"),
        ("a" * 300 + ".svg", "File name too long"),
    ):
        with pytest.raises(InputError, match=why):
            checked_file(tmp_path / name)
        with pytest.raises(InputError, match=why):
            write(made()[0].plot(), tmp_path / name)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
def test_full_disk_is_said_in_a_sentence(tmp_path):
    (tmp_path / "full.svg").symlink_to("/dev/full")
    with pytest.raises(InputError, match="No space left on device"):
        write(made()[0].plot(), tmp_path / "full.svg")


def test_notebook_shows_a_picture():
    assert made()[0].plot()._repr_svg_() == svg(made()[0].plot())


def test_plot_without_matplotlib_says_what_to_install():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from eremite import InputError, Release\n"
        "try: Release.from_json(sys.argv[1]).plot()\n"
        "except InputError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code, made()[0].to_json()], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "Plots need matplotlib; pip install 'eremite[plots]'."
