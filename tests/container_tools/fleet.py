"""The crawl of a fleet by the commands of a file: stopped, started again, ended, merged."""
from __future__ import annotations

import json
import signal
import time
from pathlib import Path

from fleet_tools.redis_servers import wait_until
from fleet_tools.server import Request, Server
from real_site.crawler import Crawler
from real_site.problem import Bars
from real_site.programs import run_or_fail

from .machine import START_SECONDS, Machine, Process
from .services import Manifests, of_compose
from .site import Site

# What the crawl of a site on loopback needs, beside the configuration in the repository.
VARIABLES = {"CRAWLER_FETCH_ALLOW_PRIVATE_ADDRESSES": "true", "CRAWLER_POLITENESS_DELAY_MS": "10",
             "CRAWLER_POLITENESS_ADDRESS_DELAY_MS": "0", "CRAWLER_POLITENESS_LATENCY_FACTOR": "0", "CRAWLER_POLITENESS_GUESS_SITEMAP": "false",
             "CRAWLER_FLEET_LEASE_SECONDS": "6"}
STOPPED_IN_ORDER = 128 + signal.SIGTERM
WORKERS = 2


def crawl_by_compose(compose: Path, config: str, entry_point: list[str], binary: Path, folder: Path, bars: Bars) -> None:
    """Two workers of one volume. The second one is stopped in the middle, and started again as a new container."""
    print("the fleet of compose.yaml:")
    site = Site(WORKERS)
    with Server(site.answer, site.hold) as server, Machine(folder, binary) as machine:
        site.port = server.port
        machine.configure({"config.toml": config, "seeds.txt": "\n".join(site.seeds)})
        primary = machine.redis(of_compose(compose, "redis", []), is_primary=True)
        replica = machine.redis(of_compose(compose, "replica", []), is_primary=False)
        primary.start()
        replica.start()
        replica.wait_until_well()
        service = of_compose(compose, "worker", entry_point)
        workers = [machine.worker(service, number, "volume", VARIABLES) for number in (1, 2)]
        for worker in workers:
            worker.start()
        folders = [folder_of(worker) for worker in workers]
        bars.check("each worker takes a folder of its own", sorted(folders) == ["worker-1", "worker-2"], " and ".join(folders))
        wait_for_requests(workers, server)
        stop_and_start(workers[1], server, bars)
        site.is_open = True
        wait_for_end(workers, bars)
        end(workers, bars)
        made = sorted(path.name for path in (folder / "volume").iterdir())
        bars.check("no other folder was begun", made == sorted(folders), ", ".join(made))
        prove_merged([folder / "volume" / name for name in folders], site, server, binary, folder, bars)
        prove_no_memory_is_waited_for(primary, bars)


def stop_and_start(worker: Process, server: Server, bars: Bars) -> None:
    """SIGTERM in the middle of the crawl, and another start."""
    before, identity = folder_of(worker), identity_of(worker)
    began = time.monotonic()
    code = worker.stop(signal.SIGTERM)
    bars.check("SIGTERM ends a worker in order, before it would be killed", code == STOPPED_IN_ORDER,
               f"exit code {code} after {time.monotonic() - began:.1f} s of {worker.service.grace_seconds} s", worker.last_lines().splitlines())
    asked = len(server.requests)
    worker.start()
    after = folder_of(worker)
    wait_until(lambda: asked_since(server, asked, 2) or is_lingering(worker), START_SECONDS, f"the worker asks nothing: {worker.last_lines()}")
    bars.check("a worker that starts again finds its folder and is the same worker", (before, identity) == (after, identity_of(worker)),
               f"{before}, then {after}")


def crawl_by_kubernetes(manifests: Manifests, entry_point: list[str], binary: Path, folder: Path, bars: Bars) -> None:
    """Two of the workers, each with a volume of its own, and servers with a password."""
    print("the fleet of kubernetes.yaml:")
    site = Site(WORKERS)
    with Server(site.answer, site.hold) as server, Machine(folder, binary) as machine:
        site.port = server.port
        services = [manifests.pod_of("crawler", ordinal, entry_point) for ordinal in range(WORKERS)]
        machine.configure({**services[0].files, "seeds.txt": "\n".join(site.seeds)})
        servers = [machine.redis(manifests.pod_of("redis", ordinal, []), is_primary=ordinal == 0) for ordinal in range(2)]
        for redis in servers:
            redis.start()
            redis.wait_until_well()
        wait_until(lambda: "master_link_status:up" in servers[1].ask("info", "replication"), START_SECONDS, "redis-1 does not follow redis-0")
        refused = servers[0].ask("ping", has_password=False)
        bars.check("Redis refuses who has no password", "NOAUTH" in refused, refused)
        words, secret = servers[0].arguments(), servers[0].service.environment["REDISCLI_AUTH"]
        bars.check("others do not see the password", secret not in " ".join(words), " ".join(words).strip())
        workers = [machine.worker(service, number, f"volume-{service.name}", VARIABLES) for number, service in enumerate(services, 1)]
        for worker in workers:
            worker.start()
        wait_for_requests(workers, server)
        site.is_open = True
        wait_for_end(workers, bars)
        probed = [worker.service.probed for worker in workers]
        bars.check("the readiness probe finds what it asks for", all(worker.status(worker.service.probed) for worker in workers), probed)
        copies = [copy_of(worker, folder) for worker in workers]
        end(workers, bars)
        prove_merged(copies, site, server, binary, folder, bars)


def wait_for_requests(workers: list[Process], server: Server) -> None:
    """Until every worker has sent a request."""
    wait_until(lambda: all(worker.lives() for worker in workers) and len(askers(server.requests)) == WORKERS, START_SECONDS,
               "a worker asks nothing")


def copy_of(worker: Process, folder: Path) -> Path:
    """A copy of the data folder of a worker that has finished and still runs, made as docs/src/containers.md says."""
    copy = folder / f"copy-of-{worker.service.name}"
    copy.mkdir()
    run_or_fail(["sh", "-c", 'tar --create --directory "$1" . | tar --extract --directory "$2"', "sh", str(worker.folder / "data"), str(copy)],
                timeout=START_SECONDS)
    return copy


def wait_for_end(workers: list[Process], bars: Bars) -> None:
    """All workers come to the end of the crawl, and show its figures."""
    ends = [worker.wait_for_end_of_crawl() for worker in workers]
    bars.check("the status of each worker shows the end of the crawl", all(found["ending"] == "exhausted" for found in ends),
               ", ".join(f"{found['ending']} with {found['counts']['kept']} kept pages" for found in ends))
    unprotected = [found["fleet"]["is_unprotected"] for found in ends]
    bars.check("the replica had what counts", not any(unprotected), f"unprotected: {unprotected}")


def end(workers: list[Process], bars: Bars) -> None:
    """SIGTERM to workers that have finished."""
    codes = [worker.stop(signal.SIGTERM) for worker in workers]
    bars.check("SIGTERM ends a worker that has finished with success", codes == [0] * len(workers), codes)


def prove_merged(folders: list[Path], site: Site, server: Server, binary: Path, folder: Path, bars: Bars) -> None:
    """`crawler merge` of the workers' folders has every page."""
    bars.check("several workers asked", len(askers(server.requests)) == WORKERS,
               ", ".join(f"{name} {sum(request.worker == name for request in server.requests)}" for name in sorted(askers(server.requests))))
    merged = Crawler(binary, folder / "merged", "")
    merged.merge_folders(folders)
    urls = [page["url"] for page in merged.export()]
    lost = sorted(site.urls - set(urls))
    bars.check("every page is in the merged folder, once", not lost and len(urls) == len(site.urls), f"{len(urls)} of {len(site.urls)}", lost)
    code, said = merged.verify()
    bars.check("crawler verify: the merged folder", code == 0, f"exit code {code}", said.splitlines() if code else [])


def prove_no_memory_is_waited_for(primary: Process, bars: Bars) -> None:
    """The arguments of the server mean what they should."""
    said = {key: primary.ask("config", "get", key).split() for key in ("maxmemory", "maxmemory-policy", "appendonly")}
    wanted = {"maxmemory": ["maxmemory", str(2 << 30)], "maxmemory-policy": ["maxmemory-policy", "noeviction"], "appendonly": ["appendonly", "yes"]}
    bars.check("Redis keeps data on disk and evicts nothing", said == wanted, said)


def folder_of(worker: Process) -> str:
    """The name of the data folder of a worker that has just been started."""
    wait_until(lambda: worker.lives() and worker.data() is not None, START_SECONDS, f"{worker.service.name} does not become the crawler: {worker.last_lines()}")
    return str(worker.data())


def identity_of(worker: Process) -> int:
    """The random number by which the fleet knows the data folder."""
    path = worker.folder / folder_of(worker) / "fleet.json"
    wait_until(lambda: worker.lives() and path.exists(), START_SECONDS, f"there is no {path}: {worker.last_lines()}")
    return int(json.loads(path.read_text())["folder"])


def askers(requests: list[Request]) -> set[str]:
    """The workers that sent a request."""
    return {request.worker for request in requests}


def asked_since(server: Server, place: int, number: int) -> bool:
    """Whether a worker sent a request after those of that number."""
    return f"worker-{number}" in askers(server.requests[place:])


def is_lingering(worker: Process) -> bool:
    """Whether it has nothing left to do."""
    return (worker.status() or {}).get("state") == "ended"
