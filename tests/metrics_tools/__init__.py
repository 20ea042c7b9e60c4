"""The parts of `open_metrics`: the crawl that is looked at, and what its metrics must be.

- `watched`: a crawl that goes on serving its status when it is over
- `families`: the metrics as a Prometheus client library reads them, and what must be in them
"""
