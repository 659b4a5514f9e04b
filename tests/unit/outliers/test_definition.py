import dataclasses

import pytest

from eremite import InputError, OutlierDefinition


@pytest.mark.parametrize("min_neighbors", [0, -1, 1.0, True, None, "5"])
def test_definition_refuses_a_min_neighbors_that_is_no_count(min_neighbors):
    with pytest.raises(InputError, match="min_neighbors must be a whole number, 1 or more"):
        OutlierDefinition(min_neighbors=min_neighbors, radius=0.1)


@pytest.mark.parametrize("radius", [0, -0.1, float("nan"), float("inf"), None, "0.1", True])
def test_definition_refuses_a_radius_that_is_no_distance(radius):
    with pytest.raises(InputError, match="radius must be a finite number above 0"):
        OutlierDefinition(min_neighbors=5, radius=radius)


def test_definition_is_frozen_and_compares_by_value():
    definition = OutlierDefinition(min_neighbors=5, radius=0.1)
    assert definition == OutlierDefinition(min_neighbors=5, radius=0.1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        definition.radius = 0.2
