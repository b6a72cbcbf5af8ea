import hashlib
import tomllib

import pytest

from sandbox.decoding import load_yaml
from sandbox.errors import StatusError
from sandbox.kinds import CRDS, KINDS, served

CUSTOM = [kind for kind in KINDS.values() if kind.crd]


@pytest.mark.parametrize("kind", CUSTOM, ids=lambda kind: kind.plural)
def test_rows_say_what_the_crd_files_say(kind):
    spec = load_yaml((CRDS / kind.crd).read_text(encoding="utf-8"))["spec"]
    version = next(item for item in spec["versions"] if item["storage"])
    names = spec["names"]
    assert (kind.group, kind.plural, kind.kind) == (spec["group"], names["plural"], names["kind"])
    assert (kind.version, kind.short_names) == (version["name"], tuple(names.get("shortNames", ())))
    assert kind.namespaced == (spec["scope"] == "Namespaced")
    assert kind.has_status == ("status" in version.get("subresources", {}))


def test_crd_files_are_the_ones_of_vendor_toml():
    vendored = tomllib.loads((CRDS / "vendor.toml").read_text(encoding="utf-8"))
    written = {f"{folder}/{name}": sha for folder, entry in vendored.items() for name, sha in entry["sha256"].items()}
    found = {
        str(path.relative_to(CRDS)): hashlib.sha256(path.read_bytes()).hexdigest() for path in CRDS.glob("*/*.yaml")
    }
    assert found == written


def test_an_old_version_is_not_served():
    with pytest.raises(StatusError, match="the server could not find the requested resource"):
        served("kueue.x-k8s.io", "v1beta1", "clusterqueues")
