import dataclasses

import numpy as np
import pytest

from eremite import InputError, OutlierDefinition


@pytest.mark.parametrize("min_neighbors", [0, -1, 1.0, True, None, "5", float("nan")])
def test_definition_refuses_a_min_neighbors_that_is_no_count(min_neighbors):
    with pytest.raises(InputError, match="min_neighbors must be a whole number, 1 or more"):
        OutlierDefinition(min_neighbors=min_neighbors, radius=0.1)


@pytest.mark.parametrize("radius", [0, -0.1, float("nan"), float("inf"), None, "0.1", True, 10**400, 1e-200, 1j])
def test_definition_refuses_a_radius_that_is_no_distance(radius):
    with pytest.raises(InputError, match="radius must be a number above 0, from 1e-140 to 1e"):
        OutlierDefinition(min_neighbors=5, radius=radius)


def test_definition_is_frozen_and_compares_by_value():
    definition = OutlierDefinition(min_neighbors=5, radius=0.1)
    assert definition == OutlierDefinition(min_neighbors=5, radius=0.1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        definition.radius = 0.2


def test_definition_takes_numpy_numbers_and_keeps_plain_ones():
    definition = OutlierDefinition(min_neighbors=np.int64(5), radius=np.float64(0.1))
    assert (type(definition.min_neighbors), type(definition.radius)) == (int, float)
    assert type(OutlierDefinition(min_neighbors=5, radius=1).radius) is float
