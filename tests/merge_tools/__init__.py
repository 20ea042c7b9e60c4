"""An object store for the crawler, and sites whose pages repeat each other.

- `s3`: a server that speaks S3, from PyPI, for as long as a block runs
- `sites`: three sites on loopback with some of their texts in common
"""
