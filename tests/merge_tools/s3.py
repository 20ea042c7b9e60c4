"""A server that speaks S3, for as long as a block runs."""
from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import boto3
from moto.server import ThreadedMotoServer

BUCKET = "crawls"
ACCESS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": "us-east-1"}


@dataclass(frozen=True)
class Bucket:
    """An empty bucket of the server."""

    endpoint: str

    def environment(self) -> dict[str, str]:
        """What the crawler reads from its environment."""
        return {**ACCESS, "AWS_ENDPOINT": self.endpoint, "AWS_ALLOW_HTTP": "true"}

    def contents(self, prefix: str) -> dict[str, bytes]:
        """Every object under the prefix."""
        client = boto3.client("s3", endpoint_url=self.endpoint, region_name=ACCESS["AWS_REGION"],
                              aws_access_key_id=ACCESS["AWS_ACCESS_KEY_ID"],
                              aws_secret_access_key=ACCESS["AWS_SECRET_ACCESS_KEY"])
        listed = client.list_objects_v2(Bucket=BUCKET, Prefix=prefix).get("Contents", [])
        return {found["Key"]: client.get_object(Bucket=BUCKET, Key=found["Key"])["Body"].read() for found in listed}


@contextmanager
def serving() -> Iterator[Bucket]:
    """Serves on a free port while the block runs."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        bucket = Bucket(f"http://{host}:{port}")
        client = boto3.client("s3", endpoint_url=bucket.endpoint, region_name=ACCESS["AWS_REGION"],
                              aws_access_key_id=ACCESS["AWS_ACCESS_KEY_ID"],
                              aws_secret_access_key=ACCESS["AWS_SECRET_ACCESS_KEY"])
        client.create_bucket(Bucket=BUCKET)
        yield bucket
    finally:
        server.stop()
