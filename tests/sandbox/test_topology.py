import pytest

from sandbox.schema import topology_of


@pytest.mark.parametrize(
    ("path", "keys"),
    [
        ("containers", ("name",)),
        ("containers.[].env", ("name",)),
        ("containers.[].ports", ("containerPort", "protocol")),
        ("containers.[].volumeMounts", ("mountPath",)),
        ("volumes", ("name",)),
        ("tolerations", ()),
        ("containers.[].args", ()),
    ],
)
def test_a_pod_template_in_a_custom_kind_merges_like_a_pod(path, keys):
    place = topology_of("pytorchjobs.kubeflow.org")
    for name in ("spec", "pytorchReplicaSpecs", "Worker", "template", "spec"):
        place = place.field(name)
    core = topology_of("pods").field("spec")
    for name in path.split("."):
        place = place.item() if name == "[]" else place.field(name)
        core = core.item() if name == "[]" else core.field(name)
    assert place.keys == core.keys == keys


def test_metadata_merges_alike_everywhere():
    for resource in ("pods", "pytorchjobs.kubeflow.org"):
        metadata = topology_of(resource).field("metadata")
        assert metadata.field("ownerReferences").keys == ("uid",)
        assert metadata.field("finalizers").is_set
