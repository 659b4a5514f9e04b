"""Routes are read off OpenAPI with every field."""

from tools.routes import Field, route_page, routes

RADIUS = {"type": "number", "description": "How near."}
OPENAPI = {
    "paths": {
        "/v1/{name}/count": {
            "post": {
                "summary": "Count",  # one word: the function's own name
                "description": "How many.",
                "parameters": [{"name": "name", "description": "Whose.", "schema": {"type": "string"}}],
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {
                                "required": ["definition"],
                                "properties": {
                                    "definition": {
                                        "type": "object",
                                        "description": "What an outlier is.",
                                        "required": ["radius"],
                                        "properties": {"radius": RADIUS},
                                    },
                                    "delta": {"anyOf": [{"type": "number"}, {"type": "string"}], "default": 0},
                                },
                            }
                        }
                    }
                },
                "responses": {
                    "200": {
                        "description": "An answer.",
                        "content": {
                            "application/json": {
                                "schema": {
                                    "properties": {
                                        "sets": {
                                            "type": "array",
                                            "description": "All.",
                                            "items": {"type": "object", "properties": {"radius": RADIUS}},
                                        },
                                        "best": {
                                            "anyOf": [
                                                {"type": "object", "properties": {"radius": RADIUS}},
                                                {"type": "null"},
                                            ],
                                            "description": "One.",
                                        },
                                    }
                                }
                            }
                        },
                    },
                    "422": {"description": "It does not fit."},
                },
            }
        }
    }
}


def test_route_has_every_field_by_the_way_to_it():
    [route] = routes(OPENAPI)
    assert (route.name, route.does) == ("POST /v1/{name}/count", "How many.")
    assert route.takes == (
        Field("name", "string", "Whose.", "in the address"),
        Field("definition", "object", "What an outlier is.", "required"),
        Field("definition.radius", "number", "How near.", "required"),
        Field("delta", "number or string", "", "`0`"),
    )
    assert route.gives == (
        Field("sets", "list of object", "All."),
        Field("sets[].radius", "number", "How near."),
        Field("best", "object or null", "One."),
        Field("best.radius", "number", "How near."),
    )
    assert route.statuses == (("200", "An answer."), ("422", "It does not fit."))


def test_route_page_shows_routes_and_fields():
    page = route_page(routes(OPENAPI))
    assert "## POST /v1/{name}/count" in page
    assert "| `definition.radius` | number | How near. | required |" in page
