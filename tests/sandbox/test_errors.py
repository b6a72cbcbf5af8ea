from sandbox import errors


def test_not_found_names_resource_and_object():
    body = errors.not_found("pytorchjobs.kubeflow.org", "demo").body()
    assert body["message"] == 'pytorchjobs.kubeflow.org "demo" not found'
    assert body["details"] == {"name": "demo", "group": "kubeflow.org", "kind": "pytorchjobs"}
    assert (body["code"], body["reason"], body["status"]) == (404, "NotFound", "Failure")


def test_invalid_with_one_cause_reads_as_a_sentence():
    causes = [errors.cause("FieldValueRequired", "Required value", "spec.x")]
    error = errors.invalid("PyTorchJob.kubeflow.org", "demo", causes)
    assert error.message == 'PyTorchJob.kubeflow.org "demo" is invalid: spec.x: Required value'
    assert error.details["causes"] == causes


def test_invalid_with_several_causes_lists_them():
    causes = [errors.cause("R", "Required value", "a"), errors.cause("R", "Required value", "b")]
    assert errors.invalid("Pod", "p", causes).message == 'Pod "p" is invalid: [a: Required value, b: Required value]'


def test_conflict_asks_to_read_again():
    assert errors.conflict("pods", "p").message == (
        'Operation cannot be fulfilled on pods "p": the object has been modified; '
        "please apply your changes to the latest version and try again"
    )
