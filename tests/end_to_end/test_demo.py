"""The demo as a newcomer runs it."""

import subprocess
import sys


def eremite(*arguments, cwd):
    command = [sys.executable, "-c", "from eremite.cli import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


def test_demo_runs_and_leaves_a_description_that_opens(tmp_path):
    done = eremite("demo", "--folder", "tour", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "20,000" in done.stdout
    assert eremite("check", "tour/patients.toml", cwd=tmp_path).returncode == 0


def test_demo_that_cannot_write_says_so_in_one_sentence(tmp_path):
    (tmp_path / "taken").write_text("a file")
    done = eremite("demo", "--folder", "taken", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("Error: Cannot write the demo to taken")
    assert done.stderr.count("\n") == 1
