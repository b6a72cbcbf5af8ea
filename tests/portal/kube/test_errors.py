import json

import pytest

from portal.kube.errors import (
    AlreadyExists,
    Cause,
    ClusterError,
    ClusterUnavailable,
    Conflict,
    Expired,
    KindMissing,
    NotFound,
    Rejected,
    Unauthorized,
    from_answer,
)

NAMED = {"name": "job-1", "kind": "pytorchjobs", "group": "kubeflow.org"}


@pytest.mark.parametrize(
    ("code", "status", "expected"),
    [
        (400, {"reason": "BadRequest"}, Rejected),
        (401, {"reason": "Unauthorized"}, Unauthorized),
        (403, {"reason": "Forbidden", "details": NAMED}, Rejected),
        (404, {"reason": "NotFound", "details": NAMED}, NotFound),
        (404, {"reason": "NotFound", "message": "the server could not find the requested resource"}, KindMissing),
        (404, {"reason": "NotFound", "details": {}}, KindMissing),
        (409, {"reason": "AlreadyExists", "details": NAMED}, AlreadyExists),
        (409, {"reason": "Conflict", "details": NAMED}, Conflict),
        (410, {"reason": "Expired"}, Expired),
        (422, {"reason": "Invalid"}, Rejected),
        (429, {"reason": "TooManyRequests"}, ClusterUnavailable),
        (500, {"reason": "InternalError", "message": "failed calling webhook"}, ClusterUnavailable),
        (503, {"reason": "ServiceUnavailable"}, ClusterUnavailable),
        (504, {"reason": "Timeout"}, ClusterUnavailable),
    ],
)
def test_class_of_an_answer(code: int, status: dict, expected: type[ClusterError]) -> None:
    assert type(from_answer(code, json.dumps(status))) is expected


def test_causes_name_the_field() -> None:
    causes = [{"reason": "FieldValueInvalid", "message": "must be positive", "field": "spec.x"}, "junk"]
    error = from_answer(422, json.dumps({"reason": "Invalid", "details": {"causes": causes}}))
    assert isinstance(error, Rejected)
    assert error.causes == (Cause("spec.x", "must be positive", "FieldValueInvalid"),)


@pytest.mark.parametrize(("header", "seconds"), [("5", 5.0), ("-1", 0.0), ("soon", None), (None, None)])
def test_retry_after(header: str | None, seconds: float | None) -> None:
    error = from_answer(429, "{}", header)
    assert isinstance(error, ClusterUnavailable)
    assert error.retry_after == seconds


@pytest.mark.parametrize("text", ["404 page not found\n", "[]", "", '"a"'])
def test_an_answer_that_is_no_status(text: str) -> None:
    error = from_answer(404, text)
    assert isinstance(error, KindMissing)
    assert error.message


def test_every_error_can_become_a_page() -> None:
    assert from_answer(500, '{"message": "etcd is away"}').status == 503
    assert str(from_answer(500, '{"message": "etcd is away"}')) == "etcd is away"
