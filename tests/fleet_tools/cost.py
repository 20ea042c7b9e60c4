"""What a fleet costs in Redis: commands, bytes, processor time, memory."""
from __future__ import annotations

import re
from dataclasses import dataclass

from real_site.problem import Problem

from .redis_servers import RedisServer, RedisServers

# Commands that the workers send. Redis counts the commands inside of scripts too, and tells them from these only by their names.
SENT = ("eval", "evalsha", "wait", "get", "xrange", "hget", "hscan", "role", "cluster", "asking", "ping", "hello", "script", "time")
STATED = re.compile(r"cmdstat_(\w+)(?:\|\w+)?:calls=(\d+)")
PARTITION_KEY, LOG_KEY = re.compile(r"^\{.*/(\d+)\}(.)"), re.compile(r"^\{.*/log\}s$")
# An item of the log holds several entries. This key has their number.
ENTRIES_KEY = re.compile(r"^\{.*/log\}n$")
KNOWN_FIELD = "n"


@dataclass(frozen=True)
class Work:
    """What the primaries have done so far."""

    sent: int
    """Commands of clients."""
    executed: int
    """Commands, with those inside of scripts."""
    bytes_in: int
    bytes_out: int
    seconds: float
    """Processor time."""

    def __sub__(self, before: Work) -> Work:
        return Work(self.sent - before.sent, self.executed - before.executed, self.bytes_in - before.bytes_in,
                    self.bytes_out - before.bytes_out, self.seconds - before.seconds)


def work_of(servers: RedisServers) -> Work:
    """The sum over the primaries."""
    total = Work(0, 0, 0, 0, 0.0)
    for server in servers.primaries:
        calls = STATED.findall("\n".join(f"{name}:{value}" for name, value in server.info("commandstats").items()))
        stats, cpu = server.info("stats"), server.info("cpu")
        total = Work(total.sent + sum(int(count) for name, count in calls if name in SENT),
                     total.executed + sum(int(count) for _, count in calls),
                     total.bytes_in + int(stats["total_net_input_bytes"]), total.bytes_out + int(stats["total_net_output_bytes"]),
                     total.seconds + float(cpu["used_cpu_user"]) + float(cpu["used_cpu_sys"]))
    return total


@dataclass(frozen=True)
class Memory:
    """Bytes of the keys, as MEMORY USAGE counts them."""

    known_urls: int
    url_bytes: int
    """Of all keys of the partitions: known URLs, queues, finished URLs, hosts."""
    entries: int
    entry_bytes: int
    """Of the log."""
    used: int
    """Of the whole servers."""


def memory_of(servers: RedisServers) -> Memory:
    """The sum over the primaries."""
    parts = [_memory_of(server) for server in servers.primaries]
    return Memory(*(sum(figures) for figures in zip(*((part.known_urls, part.url_bytes, part.entries, part.entry_bytes, part.used)
                                                      for part in parts))))


def _memory_of(server: RedisServer) -> Memory:
    keys = server.ask("--scan").splitlines()
    sizes = dict(zip(keys, map(int, server.ask_all([f"MEMORY USAGE {key} SAMPLES 0" for key in keys]))))
    partitions = [key for key in keys if PARTITION_KEY.match(key)]
    records = [key for key in partitions if key.endswith("}m")]
    logs = [key for key in keys if LOG_KEY.match(key)]
    known = server.ask_all([f"HGET {key} {KNOWN_FIELD}" for key in records])
    return Memory(sum(int(count or 0) for count in known), sum(sizes[key] for key in partitions),
                  sum(int(server.ask("GET", key)) for key in keys if ENTRIES_KEY.match(key)), sum(sizes[key] for key in logs),
                  int(server.info("memory")["used_memory"]))


def demand_work(work: Work, pages: int) -> None:
    """Without pages or commands, nothing was measured."""
    if not pages or not work.sent:
        raise Problem(f"nothing to measure: {pages} pages, {work.sent} commands")
