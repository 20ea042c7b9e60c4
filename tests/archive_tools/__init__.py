"""The archive in other people's tools, and other people's archives in the crawler.

- `site`: a small site on loopback, whose pages are known byte by byte
- `ours`: what warcio, FastWARC, cdxj-indexer and pywb make of an archive of this crawler
- `theirs`: WARC files in the shapes that other writers make, and what the crawler makes of them
"""
