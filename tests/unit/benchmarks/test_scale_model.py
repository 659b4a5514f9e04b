"""The model of seconds by rows and cores, on made-up runs."""

from dataclasses import astuple

import pytest

from benchmarks.scale_model import Model, Timed, fitted, fitted_with, off_by

MADE = Model(start=3.0, alone=2e-7, shared_start=2.0, shared=4e-7)


def runs_of(model, *sizes):
    return [Timed(rows, cores, model.seconds(rows, cores)) for rows, cores in sizes]


def test_the_model_adds_up_its_parts():
    assert Model(1, 2, 3, 4).seconds(8, 4) == 1 + 2 * 8 + (3 + 4 * 8) / 4


def test_a_fit_finds_the_model_that_made_the_runs():
    found = fitted(runs_of(MADE, (2_000_000, 1), (2_000_000, 2), (8_000_000, 1), (8_000_000, 2)))
    assert astuple(found) == pytest.approx(astuple(MADE), rel=1e-6)


def test_a_fit_predicts_a_larger_table_on_more_cores():
    found = fitted(runs_of(MADE, (2_000_000, 1), (2_000_000, 2), (8_000_000, 1), (8_000_000, 2)))
    assert found.seconds(10**9, 100) == pytest.approx(3 + 200 + (2 + 400) / 100, rel=1e-6)


def test_runs_on_one_number_of_cores_have_shared_work_and_a_start():
    found = fitted(runs_of(MADE, (2_000_000, 2), (8_000_000, 2)))
    assert (found.alone, found.shared_start) == (0, 0)
    assert off_by(found, runs_of(MADE, (32_000_000, 2))[0]) == pytest.approx(0, abs=1e-6)


def test_a_fit_with_what_one_core_does_alone_finds_the_rest():
    runs = runs_of(MADE, (2_000_000, 1), (2_000_000, 2), (8_000_000, 1), (8_000_000, 2))
    assert astuple(fitted_with(MADE.alone, runs)) == pytest.approx(astuple(MADE), rel=1e-6)
    assert fitted_with(0.0, runs).shared > MADE.shared


def test_no_part_of_a_fit_is_below_zero():
    slower_on_two_cores = [Timed(2_000_000, 1, 4.0), Timed(2_000_000, 2, 5.0), Timed(8_000_000, 1, 6.0)]
    found = fitted(slower_on_two_cores)
    assert found.alone > 0
    assert min(astuple(found)) == 0
    for alone in (0.0, 2e-7, 1.0):
        assert min(astuple(fitted_with(alone, slower_on_two_cores))) >= 0


def test_off_by_is_above_zero_if_the_model_expects_more():
    run = Timed(8_000_000, 2, MADE.seconds(8_000_000, 2) / 2)
    assert off_by(MADE, run) == pytest.approx(1)
