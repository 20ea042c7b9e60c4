"""What the files for compose and Kubernetes say of a container."""
from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import kubernetes_validate
import yaml

from real_site.problem import Bars, Problem

# `$$`, `${NAME}` or `${NAME:-default}` in a file for compose; `$(NAME)` in one for Kubernetes.
OF_COMPOSE = re.compile(r"\$(?:(\$)|\{(\w+)(?::-([^}]*))?\})")
OF_KUBERNETES = re.compile(r"\$\((\w+)\)")
SECONDS = {"s": 1, "m": 60}


@dataclass(frozen=True)
class Service:
    """One container."""

    name: str
    command: list[str]
    """With the entry point of the image."""
    environment: dict[str, str]
    check: list[str]
    """The command that says whether it is well; empty without one."""
    grace_seconds: int
    """Between SIGTERM and SIGKILL."""
    files: dict[str, str] = field(default_factory=dict)
    """The files of its configuration, by name; empty where they come from a folder of the user."""
    probed: str = ""
    """The path that is asked for to see whether it is ready; empty without one."""


def of_compose(path: Path, name: str, entry_point: list[str]) -> Service:
    """A service of a file for compose, where no variable is set. `entry_point` is that of its image."""
    said = yaml.safe_load(path.read_text())["services"][name]
    entry = [interpolated(part) for part in said["entrypoint"]] if "entrypoint" in said else entry_point
    command = said.get("command", [])
    words = shlex.split(interpolated(command)) if isinstance(command, str) else [interpolated(part) for part in command]
    environment = {key: interpolated(value) for key, value in said.get("environment", {}).items() if value is not None}
    check = said.get("healthcheck", {}).get("test")
    grace = said.get("stop_grace_period", "10s")
    return Service(name, [*entry, *words], environment, ["sh", "-c", interpolated(check)] if check else [],
                   int(grace[:-1]) * SECONDS[grace[-1]])


def interpolated(text: str) -> str:
    """As compose replaces variables of which none is set."""
    return OF_COMPOSE.sub(lambda found: "$" if found[1] else found[3] or "", text)


class Manifests:
    """The objects of a file for Kubernetes."""

    def __init__(self, path: Path) -> None:
        self.objects: list[dict[str, Any]] = [found for found in yaml.safe_load_all(path.read_text()) if found]

    def find(self, kind: str, name: str) -> dict[str, Any]:
        """The object of this kind and name."""
        for found in self.objects:
            if (found["kind"], found["metadata"]["name"]) == (kind, name):
                return found
        raise Problem(f"the file has no {kind} of the name {name}")

    def pod_of(self, name: str, ordinal: int, entry_point: list[str]) -> Service:
        """A pod of a StatefulSet, by its number, as one service. `entry_point` is that of its image."""
        pod = self.find("StatefulSet", name)["spec"]["template"]["spec"]
        container = pod["containers"][0]
        # The runtime sets it to the name of the pod.
        environment = {"HOSTNAME": f"{name}-{ordinal}"}
        for variable in container.get("env", []):
            environment[variable["name"]] = OF_KUBERNETES.sub(lambda found: environment[found[1]], self._value(variable))
        probe = container["readinessProbe"]
        files = [self.find("ConfigMap", volume["configMap"]["name"])["data"] for volume in pod.get("volumes", []) if "configMap" in volume]
        command = [*container.get("command", entry_point), *container.get("args", [])]
        return Service(f"{name}-{ordinal}", [OF_KUBERNETES.sub(lambda found: environment[found[1]], word) for word in command], environment,
                       probe.get("exec", {}).get("command", []), pod.get("terminationGracePeriodSeconds", 30), files[0] if files else {},
                       probe.get("httpGet", {}).get("path", ""))

    def _value(self, variable: dict[str, Any]) -> str:
        if "value" in variable:
            return str(variable["value"])
        key = variable["valueFrom"]["secretKeyRef"]
        return str(self.find("Secret", key["name"])["stringData"][key["key"]])

    def check(self, bars: Bars, version: str) -> None:
        """Every object has the form of this version of Kubernetes, and what one of them names is there."""
        wrong = []
        for found in self.objects:
            try:
                kubernetes_validate.validate(found, version, strict=True)
            except kubernetes_validate.ValidationError as error:
                wrong.append(f"{found['kind']} {found['metadata']['name']}: {error.message}")
        bars.check(f"kubernetes.yaml has the form of Kubernetes {version}", not wrong, f"{len(self.objects)} objects", wrong)
        lost = [missing for found in self.objects if found["kind"] == "StatefulSet" for missing in self._lost(found)]
        bars.check("each name in kubernetes.yaml is that of something in it", not lost, f"{len(lost)} lead nowhere", lost)

    def _lost(self, found: dict[str, Any]) -> list[str]:
        """What a StatefulSet names and the file does not have."""
        spec, name = found["spec"], found["metadata"]["name"]
        pod, labels = spec["template"]["spec"], spec["template"]["metadata"]["labels"]
        lost = [f"{name}: the selector {spec['selector']['matchLabels']} does not select its pods"
                for _ in [0] if spec["selector"]["matchLabels"] != labels]
        service = self.find("Service", spec["serviceName"])["spec"]
        lost += [f"{name}: the service {spec['serviceName']} does not select its pods" for _ in [0] if service["selector"] != labels]
        volumes = {volume["name"] for volume in pod.get("volumes", [])}
        volumes |= {claim["metadata"]["name"] for claim in spec.get("volumeClaimTemplates", [])}
        for container in pod["containers"]:
            lost += [f"{name}: no volume {mount['name']}" for mount in container["volumeMounts"] if mount["name"] not in volumes]
            ports = {port["name"]: port["containerPort"] for port in container["ports"]}
            probe = container["readinessProbe"].get("httpGet")
            lost += [f"{name}: no port {probe['port']}" for _ in [0] if probe and probe["port"] not in ports]
            lost += [f"{name}: the service has other ports" for port in service["ports"] if ports.get(port["name"]) != port["port"]]
        return lost
