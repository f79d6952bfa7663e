"""The HTTP door's own description: OpenAPI 3.1 over the models that are applied."""

from typing import Any

from pydantic.json_schema import models_json_schema

from esra import __version__
from esra.serve.arguments import Body
from esra.serve.bearer import Resource
from esra.serve.problems import MEDIA_TYPE, Problem
from esra.serve.wire import Answer

_REF = "#/components/schemas/{model}"

# What /v1/retrieve can answer besides results.
_TROUBLE = {
    "400": "The request is not one that can be read.",
    "403": "The caller may not use this exposure, or there is none.",
    "408": "The body did not arrive in time.",
    "409": "No source is available to this caller.",
    "413": "The body is too large.",
    "415": "The body is not application/json.",
    "429": "A quota is used up.",
    "431": "The address and the headers are too large.",
    "500": "Something went wrong inside.",
    "503": "The audit cannot be written, or too many connections are open.",
}
_HEADERS = {"X-Correlation-Id": {"schema": {"type": "string"}, "required": True}}


def description(resource: Resource | None) -> dict[str, object]:
    """The document. With ``resource`` the calls need a bearer token."""
    _, schemas = models_json_schema(
        [(Body, "validation"), (Answer, "serialization"), (Problem, "serialization")],
        ref_template=_REF,
    )
    components: dict[str, Any] = {"schemas": schemas["$defs"]}
    if resource is not None:
        scheme = {"type": "http", "scheme": "bearer"}
        components["securitySchemes"] = {"bearer": scheme}
    paths: dict[str, Any] = {
        "/v1/retrieve": {"post": _retrieve(resource)},
        "/healthz": {"get": _probe("Whether the process is alive.", {})},
        "/readyz": {"get": _probe("Whether it takes calls.", {"503": _problem("Not ready.")})},
        "/metrics": {"get": _metrics()},
        "/openapi.json": {"get": _probe("This document.", {})},
    }
    if resource is not None:
        about = "What an access token must be (RFC 9728)."
        paths[resource.metadata_path] = {"get": _probe(about, {})}
    return {
        "openapi": "3.1.0",
        "info": {"title": "esra", "version": __version__},
        "paths": paths,
        "components": components,
    }


def _retrieve(resource: Resource | None) -> dict[str, Any]:
    trouble = {status: _problem(text) for status, text in _TROUBLE.items()}
    if resource is not None:
        trouble["401"] = _problem("No accepted access token came.")
    return {
        "summary": "Ask one question.",
        "operationId": "retrieve",
        "requestBody": {"required": True, "content": _content("application/json", "Body")},
        "responses": {
            "200": {
                "description": "The results, and in the warnings what is missing from them.",
                "headers": _HEADERS,
                "content": _content("application/json", "Answer"),
            },
            **trouble,
        },
        **({"security": [{"bearer": []}]} if resource is not None else {}),
    }


def _probe(summary: str, more: dict[str, Any]) -> dict[str, Any]:
    schema = {"application/json": {"schema": {"type": "object"}}}
    return {
        "summary": summary,
        "responses": {
            "200": {"description": "Yes.", "headers": _HEADERS, "content": schema},
            **more,
        },
    }


def _metrics() -> dict[str, Any]:
    text = {"text/plain": {"schema": {"type": "string"}}}
    return {
        "summary": "Counters for Prometheus.",
        "responses": {
            "200": {"description": "The exposition.", "headers": _HEADERS, "content": text},
            "404": _problem("Not shown to this peer."),
        },
    }


def _problem(text: str) -> dict[str, Any]:
    return {
        "description": text,
        "headers": _HEADERS,
        "content": _content(MEDIA_TYPE, "Problem"),
    }


def _content(media_type: str, model: str) -> dict[str, Any]:
    return {media_type: {"schema": {"$ref": _REF.format(model=model)}}}
