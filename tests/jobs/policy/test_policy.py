"""The table against a second oracle (oracle.py), row by row of the threat list and then by chance."""

import random
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import pytest

from jobs import policy
from jobs.policy import Verdict
from jobs.spec import Identity, check_values, digest, render
from jobs.translators import translator_for
from tests.jobs.factories import INPUT, demo_template
from tests.jobs.policy.oracle import FORBIDDEN_KEYS, violations

PREFIXES = ("registry.internal/",)
UID = "01939d2f-7c1e-7d3a-9f10-5b3c2a1d4e5f"


def good(**values: object) -> dict[str, Any]:
    template = demo_template()
    clean, errors = check_values(template["schema"], INPUT | values, PREFIXES)
    assert errors == []
    labels = {"choirmaster.dev/tenant": "premium", "choirmaster.dev/submission": UID}
    identity = Identity("PyTorchJob", "llama3-0a1b", "cm-premium", "main", labels, {"choirmaster.dev/title": "Llama"})
    manifest = policy.force(translator_for("PyTorchJob").manifest(render(template["body"], clean, identity)))
    manifest["metadata"]["annotations"]["choirmaster.dev/spec-hash"] = digest(manifest)
    return manifest


def pod(manifest: dict) -> dict:
    return manifest["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]


def container(manifest: dict) -> dict:
    return pod(manifest)["containers"][0]


def run(manifest: dict) -> dict:
    return manifest["spec"]["runPolicy"]


def template_metadata(manifest: dict) -> dict:
    return manifest["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["metadata"]


def metadata(manifest: dict) -> dict:
    return manifest["metadata"]


def test_ordinary_jobs_pass_both_opinions() -> None:
    """Twelve of twelve: sizes, shapes and rehearsals of what people really send."""
    jobs: list[dict[str, object]] = [
        {"workers": workers, "gpus_per_worker": gpus} for workers, gpus in ((1, 1), (4, 4), (6, 8), (64, 1))
    ]
    jobs += [{"rehearsal": name} for name in ("crash", "hang", "out-of-memory", "missing-image", "slow-start")]
    jobs += [
        {"shared_memory": "256Gi"},
        {"arguments": ["--a", "$(X)"]},
        {"image": "registry.internal/a/b@sha256:" + "0" * 64},
    ]
    assert len(jobs) == 12
    for values in jobs:
        assert policy.check(good(**values), PREFIXES) == []
        assert violations(good(**values)) == []


Where = Callable[[dict], dict]
THREATS: list[tuple[Where, dict[str, Any]]] = [
    (lambda m: m, {"apiVersion": "v1", "kind": "Pod"}),
    (lambda m: m, {"kind": "Deployment"}),
    (lambda m: m, {"status": {"conditions": []}}),
    (metadata, {"name": "x" * 41}),
    (metadata, {"name": "1x"}),
    (metadata, {"ownerReferences": [{"uid": "x"}]}),
    (metadata, {"finalizers": ["x/y"]}),
    (metadata, {"generateName": "x-"}),
    (metadata, {"labels": {}}),
    (lambda m: m["metadata"]["labels"], {"kueue.x-k8s.io/queue-name": "others"}),
    (lambda m: m["metadata"]["labels"], {"kueue.x-k8s.io/priority-class": "high"}),
    (lambda m: m["metadata"]["labels"], {"choirmaster.dev/submission": "mine"}),
    (lambda m: m["metadata"]["annotations"], {"kueue.x-k8s.io/admission-gated-by": "x"}),
    (run, {"suspend": False}),
    (run, {"suspend": "true"}),
    (run, {"suspend": 1}),
    (run, {"managedBy": "kueue.x-k8s.io/multikueue"}),
    (run, {"schedulingPolicy": {"priorityClass": "system-node-critical"}}),
    (run, {"schedulingPolicy": {"queue": "default"}}),
    (run, {"ttlSecondsAfterFinished": 0}),
    (run, {"cleanPodPolicy": "All"}),
    (run, {"backoffLimit": 10**9}),
    (run, {"activeDeadlineSeconds": None}),
    (lambda m: m["spec"], {"elasticPolicy": {"maxReplicas": 900}}),
    (lambda m: m["spec"]["pytorchReplicaSpecs"]["Worker"], {"replicas": 10_000}),
    (lambda m: m["spec"]["pytorchReplicaSpecs"], {"Launcher": {"replicas": 1}}),
    (template_metadata, {"annotations": {"k8s.v1.cni.cncf.io/networks": "host"}}),
    (template_metadata, {"annotations": {"container.apparmor.security.beta.kubernetes.io/pytorch": "unconfined"}}),
    (template_metadata, {"annotations": {"sidecar.istio.io/inject": "true"}}),
    (template_metadata, {"annotations": {"eks.amazonaws.com/role-arn": "x"}}),
    (template_metadata, {"annotations": {"choirmaster.dev/spec-hash": "x"}}),
    (template_metadata, {"annotations": {"evilchoirmaster.dev/x": "x"}}),
    (template_metadata, {"labels": {"nvidia.com/mig": "x"}}),
    (template_metadata, {"namespace": "kube-system"}),
    (pod, {"hostNetwork": True}),
    (pod, {"hostPID": False}),
    (pod, {"hostIPC": True}),
    (pod, {"hostUsers": True}),
    (pod, {"nodeName": "node-1"}),
    (pod, {"nodeSelector": {"node-role.kubernetes.io/control-plane": ""}}),
    (pod, {"tolerations": [{"operator": "Exists"}]}),
    (pod, {"affinity": {"podAffinity": {}}}),
    (pod, {"topologySpreadConstraints": [{"maxSkew": 1}]}),
    (pod, {"schedulerName": "mine"}),
    (pod, {"runtimeClassName": "runc"}),
    (pod, {"priorityClassName": "system-cluster-critical"}),
    (pod, {"preemptionPolicy": "PreemptLowerPriority"}),
    (pod, {"overhead": {"cpu": "0"}}),
    (pod, {"schedulingGates": [{"name": "x"}]}),
    (pod, {"readinessGates": [{"conditionType": "x"}]}),
    (pod, {"dnsPolicy": "Default"}),
    (pod, {"dnsConfig": {"nameservers": ["10.0.0.1"]}}),
    (pod, {"hostAliases": [{"ip": "10.0.0.1"}]}),
    (pod, {"setHostnameAsFQDN": True}),
    (pod, {"subdomain": "x"}),
    (pod, {"serviceAccountName": "default"}),
    (pod, {"serviceAccount": "default"}),
    (pod, {"automountServiceAccountToken": True}),
    (pod, {"enableServiceLinks": True}),
    (pod, {"imagePullSecrets": [{"name": "x"}]}),
    (pod, {"shareProcessNamespace": True}),
    (pod, {"resourceClaims": [{"name": "x"}]}),
    (pod, {"resources": {"limits": {"cpu": "1"}}}),
    (pod, {"terminationGracePeriodSeconds": 10**6}),
    (pod, {"initContainers": [{"name": "x", "image": "registry.internal/x:1"}]}),
    (pod, {"ephemeralContainers": [{"name": "x"}]}),
    (pod, {"containers": []}),
    (pod, {"securityContext": {}}),
    (lambda m: pod(m)["securityContext"], {"runAsUser": 0}),
    (lambda m: pod(m)["securityContext"], {"runAsNonRoot": False}),
    (lambda m: pod(m)["securityContext"], {"fsGroup": 0}),
    (lambda m: pod(m)["securityContext"], {"seccompProfile": {"type": "Unconfined"}}),
    (lambda m: pod(m)["securityContext"], {"sysctls": [{"name": "kernel.msgmax", "value": "1"}]}),
    (lambda m: pod(m)["securityContext"], {"supplementalGroups": [0]}),
    (lambda m: pod(m)["securityContext"], {"windowsOptions": {"hostProcess": True}}),
    (lambda m: pod(m)["securityContext"], {"seLinuxOptions": {"type": "spc_t"}}),
    *[
        (lambda m: pod(m)["volumes"][1], {"persistentVolumeClaim": None, **volume})
        for volume in (
            {"hostPath": {"path": "/"}},
            {"nfs": {"server": "x", "path": "/"}},
            {"csi": {"driver": "x"}},
            {"gitRepo": {"repository": "x"}},
            {"secret": {"secretName": "x"}},
            {"configMap": {"name": "x"}},
            {"projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}},
            {"downwardAPI": {"items": []}},
            {"ephemeral": {"volumeClaimTemplate": {}}},
            {"emptyDir": {}},
            {"emptyDir": {"sizeLimit": "1Gi"}},
            {"emptyDir": {"medium": "Memory"}},
            {"emptyDir": {"medium": "Memory", "sizeLimit": "300Gi"}},
        )
    ],
    (lambda m: pod(m)["volumes"][1]["persistentVolumeClaim"], {"claimName": "../x"}),
    (container, {"image": "evil.example/x:1"}),
    (container, {"image": "registry.internal/pytorch"}),
    (container, {"image": 3}),
    (container, {"imagePullPolicy": "IfNotPresent"}),
    (container, {"name": "sidecar"}),
    (container, {"workingDir": "/proc/self/fd/8"}),
    (container, {"command": "rm -rf /"}),
    (container, {"command": ["a\x00b"]}),
    (container, {"stdin": True}),
    (container, {"tty": True}),
    (container, {"lifecycle": {"postStart": {"httpGet": {"host": "10.0.0.1"}}}}),
    (container, {"livenessProbe": {"tcpSocket": {"host": "10.0.0.1", "port": 1}}}),
    (container, {"volumeDevices": [{"name": "x", "devicePath": "/dev/x"}]}),
    (container, {"resizePolicy": [{"resourceName": "cpu"}]}),
    (container, {"envFrom": [{"secretRef": {"name": "x"}}]}),
    *[(container, {"env": [{"name": name, "value": "x"}]}) for name in (
        "NVIDIA_VISIBLE_DEVICES", "LD_PRELOAD", "KUBERNETES_SERVICE_HOST", "ld_preload", "A=B", "", "1A", "A\x00")],
    (container, {"env": [{"name": "X", "valueFrom": {"secretKeyRef": {"name": "x", "key": "y"}}}]}),
    (container, {"ports": [{"containerPort": 22, "hostPort": 22}]}),
    (container, {"resources": {}}),
    (lambda m: container(m)["resources"], {"claims": [{"name": "x"}]}),
    (lambda m: container(m)["resources"]["requests"], {"cpu": "1"}),
    (lambda m: container(m)["resources"]["limits"], {"nvidia.com/gpu": "0.5"}),
    (lambda m: container(m)["resources"]["limits"], {"hugepages-2Mi": "1Gi"}),
    (lambda m: container(m)["resources"]["limits"], {"rdma/hca": "1"}),
    (lambda m: container(m)["securityContext"], {"privileged": True}),
    (lambda m: container(m)["securityContext"], {"privileged": False}),
    (lambda m: container(m)["securityContext"], {"allowPrivilegeEscalation": True}),
    (lambda m: container(m)["securityContext"], {"capabilities": {"drop": ["ALL"], "add": ["IPC_LOCK"]}}),
    (lambda m: container(m)["securityContext"], {"capabilities": {"drop": []}}),
    (lambda m: container(m)["securityContext"], {"capabilities": {"drop": ["ALL", "NET_RAW"]}}),
    (lambda m: container(m)["securityContext"], {"procMount": "Unmasked"}),
    (lambda m: container(m)["securityContext"], {"runAsUser": 0}),
    (lambda m: container(m)["securityContext"], {"seccompProfile": {"type": "Unconfined"}}),
    *[(lambda m: container(m)["volumeMounts"][1], mount) for mount in (
        {"mountPath": "/proc"}, {"mountPath": "/sys/fs"}, {"mountPath": "/a/../../etc"}, {"mountPath": "/"},
        {"mountPath": "/var/run/secrets/kubernetes.io"}, {"mountPath": "//proc"}, {"mountPath": "/./proc/self"},
        {"subPath": "../x"}, {"subPathExpr": "$(X)"}, {"mountPropagation": "Bidirectional"})],
]  # fmt: skip


@pytest.mark.parametrize(("where", "change"), THREATS, ids=[f"{n}-{list(c)[-1]}" for n, (_, c) in enumerate(THREATS)])
def test_a_threat_is_refused(where: Where, change: dict[str, Any]) -> None:
    manifest = good()
    where(manifest).update(change)
    assert policy.check(manifest, PREFIXES) != []


def _places(node: Any) -> Iterator[Any]:
    if isinstance(node, dict | list):
        yield node
        for value in list(node.values()) if isinstance(node, dict) else node:
            yield from _places(value)


def _mutate(manifest: dict, chance: random.Random) -> None:
    """Adds something dangerous, removes something, or changes a value, anywhere."""
    place = chance.choice(list(_places(manifest)))
    values = [True, False, 0, 1, "x", "Always", "Default", "0", "registry.internal/x:1", {}, [], [{}], {"x": "y"}, None]
    key = chance.choice([*FORBIDDEN_KEYS, "name", "env", "labels", "template", "resources", "securityContext"])
    if isinstance(place, list):
        place.append(deepcopy(chance.choice([*values, *place])))
    elif chance.random() < 0.4 and place:
        del place[chance.choice(list(place))]
    elif chance.random() < 0.5 and place:
        place[chance.choice(list(place))] = chance.choice(values)
    else:
        place[key] = chance.choice(values)


def test_what_the_table_lets_through_the_oracle_does_too() -> None:
    chance = random.Random(11)
    passed = 0
    whole = good()
    for _ in range(1500):
        manifest = deepcopy(whole)
        _mutate(manifest, chance)
        if policy.check(manifest, PREFIXES) == []:
            passed += 1
            assert violations(manifest) == [], manifest
    assert 0 < passed < 500  # some mutations are harmless, most are not


def test_forcing_mends_what_is_forced_and_nothing_else() -> None:
    manifest = good()
    broken = deepcopy(manifest)
    run(broken).update(suspend=False, cleanPodPolicy="All", ttlSecondsAfterFinished=0)
    pod(broken).update(serviceAccountName="default", automountServiceAccountToken=True)
    container(broken)["securityContext"]["capabilities"] = {"drop": ["NET_RAW"], "add": ["SYS_ADMIN"]}
    forced = policy.force(broken)
    assert [error.path.rsplit(".", 1)[-1] for error in policy.check(forced, PREFIXES)] == ["[]"]  # the added one
    del container(forced)["securityContext"]["capabilities"]["add"]
    assert forced == manifest
    assert policy.force(manifest) == manifest


def test_each_forced_or_required_leaf_is_missed_when_it_is_not_there() -> None:
    for rule in policy.table(PREFIXES):
        if rule.verdict is not Verdict.ALLOW:
            manifest = good()
            _remove(manifest, rule.path)
            assert policy.check(manifest, PREFIXES) != [], str(rule)


def _remove(node: Any, path: tuple[str, ...]) -> None:
    step, rest = path[0], path[1:]
    if step == "[]":
        for entry in node if rest else ():
            _remove(entry, rest)
        if not rest:
            node.clear()
        return
    for key in [key for key in node if key == step or (step.startswith("~") and key in step[1:].split("|"))]:
        if rest:
            _remove(node[key], rest)
        else:
            del node[key]


def test_a_manifest_that_nests_without_end_is_refused() -> None:
    manifest = good()
    deep: dict = {}
    for _ in range(100_000):
        deep = {"x": deep}
    container(manifest)["resources"]["limits"]["cpu"] = deep
    assert any("is not allowed" in error.message for error in policy.check(manifest, PREFIXES))


@pytest.mark.parametrize("manifest", [{}, {"spec": None}, {"spec": {"pytorchReplicaSpecs": []}}, {"metadata": []}])
def test_what_is_no_job_at_all_is_refused(manifest: dict) -> None:
    assert policy.check(manifest, PREFIXES) != []


def test_every_row_says_why() -> None:
    assert [str(rule) for rule in policy.table(PREFIXES) if not rule.why] == []
