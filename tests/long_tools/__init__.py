"""The parts of `tests/long_crawl`.

- `web`: the simulated web, built and served
- `watch`: what a crawl looks like from outside, once in some seconds
- `course`: what these samples say: tables, bars and the extrapolation
- `stages`: starting, killing and opening again
"""
