"""`python -m sandbox`: serve a small Kubernetes-like cluster on loopback."""

import argparse
import contextlib
from pathlib import Path

from sandbox.auth import Gate, read_tokens, rule_of
from sandbox.cluster import Cluster, RealTime, read_cluster_file
from sandbox.server import Server, application
from sandbox.store import Store
from sandbox.watch import Pulse


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m sandbox", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder that keeps the cluster")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: loopback only)")
    parser.add_argument("--token-file", type=Path, required=True, help="lines of token,username,group1|group2")
    parser.add_argument("--clock", choices=("real", "manual"), default="real")
    parser.add_argument("--speed", type=float, default=1.0, help="seconds of the cluster for one of ours")
    parser.add_argument("--cluster", type=Path, help="YAML objects of a new cluster, and RBAC rules")
    parser.add_argument("--window", type=int, default=10_000, help="changes that a watch can be behind")
    return parser


def main() -> None:
    """Serve until SIGTERM or SIGINT."""
    parser = _parser()
    arguments = parser.parse_args()
    try:
        objects, rules = read_cluster_file(arguments.cluster) if arguments.cluster else ([], [])
        gate = Gate(read_tokens(arguments.token_file), [rule_of(entry) for entry in rules])
    except (OSError, ValueError) as error:
        parser.error(str(error))
    store = Store(arguments.data, window=arguments.window)
    cluster = Cluster(store)
    if store.is_new:
        cluster.found(objects)
    pulse = Pulse()
    real_time = RealTime(cluster, arguments.speed) if arguments.clock == "real" else None
    app = application(cluster, gate, pulse, real_time)
    with contextlib.suppress(KeyboardInterrupt), contextlib.closing(store):
        Server(app, pulse, arguments.port, arguments.host).run()


if __name__ == "__main__":
    main()
