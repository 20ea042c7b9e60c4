"""The metrics as a Prometheus client library reads them."""
from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from prometheus_client.openmetrics.parser import text_string_to_metric_families
from prometheus_client.parser import text_string_to_metric_families as parse_text_format
from real_site.problem import Bars

from .watched import Watched

OUTCOMES = ["kept", "exact", "near", "redirected", "failed", "excluded", "gone"]


def check(watched: Watched, document: Path, bars: Bars) -> None:
    """Reads all three addresses and compares them with one another, the report and the document."""
    content_type, text = watched.get("/metrics")
    bars.check("content type", content_type.startswith("application/openmetrics-text; version=1.0.0"), content_type)
    families = {family.name: family for family in text_string_to_metric_families(text)}
    print(f"{len(families)} families, {sum(len(family.samples) for family in families.values())} samples")
    bars.check("the older text format's parser reads it too", len(list(parse_text_format(text))) >= len(families), "")
    rows = documented(document)
    # This crawl has no fleet, and only a worker of one serves its figures.
    wanted = {name for name in rows if not name.startswith("crawler_fleet_")}
    bars.check("every documented metric is served, and no other", wanted == set(families), str(wanted ^ set(families)))
    for name, (kind, unit) in rows.items():
        if family := families.get(name):
            bars.check(f"{name} is a {kind}", (family.type, family.unit) == (kind, unit), f"{family.type} {family.unit}")
    counts = watched.report()["counts"]
    values = {(sample.name, *sample.labels.values()): sample.value for family in families.values() for sample in family.samples}
    for outcome in OUTCOMES:
        same(bars, f"decided, {outcome}", values["crawler_decided_urls", outcome], counts[outcome])
    for verdict in ("kept", "exact", "near"):
        same(bars, f"pages, {verdict}", values["crawler_pages_total", verdict], counts[verdict])
    same(bars, "queued", values[("crawler_queued_urls",)], counts["queued"])
    same(bars, "bytes kept", values[("crawler_kept_bytes",)], counts["bytes_kept"])
    same(bars, "requests timed", values[("crawler_fetch_seconds_count",)], values[("crawler_requests_total",)])
    same(bars, "running", values[("crawler_running",)], 0)
    figures: dict[str, Any] = json.loads(watched.get("/status.json")[1])
    same(bars, "/status.json", figures["counts"], counts)
    page = watched.get("/")[1]
    shown = {name: int(count) for name, count in re.findall(r'data-number="counts\.(\w+)">(\d+)<', page)}
    same(bars, "the page", shown, {name: count for name, count in counts.items() if not name.startswith("bytes")})


def same(bars: Bars, what: str, served: Any, expected: Any) -> None:
    bars.check(f"{what}: as the report has it", served == expected, f"{served} {expected}")


def documented(document: Path) -> dict[str, tuple[str, str]]:
    """Type and unit by family, as the table of the document has them."""
    rows = [line.strip("|\n").split("|") for line in document.read_text().splitlines() if line.startswith("| `crawler_")]
    cells = [[cell.strip() for cell in row] for row in rows]
    return {re.sub(r"_(total|info)$", "", name.strip("`")): (kind, unit.strip("–")) for name, kind, unit, *_ in cells}
