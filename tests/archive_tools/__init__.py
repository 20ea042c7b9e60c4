"""The archive in other people's tools, and other people's archives in the crawler.

- `site`: a small site on loopback, whose pages are known byte by byte
- `ours`: what warcio, FastWARC and cdxj-indexer make of an archive of this crawler
- `replay`: what pywb and wabac.js show of it
- `theirs`: WARC files in the shapes that other writers make, and what the crawler makes of them
"""
