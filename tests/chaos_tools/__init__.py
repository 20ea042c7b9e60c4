"""What `tests/chaos` consists of.

- `site`: a random site, hostile in part, on loopback, with a log of the requests
- `program`: the crawler's commands, ended by every means
- `damage`: damages to the files of a data folder
- `model`: what must hold after every step
- `steps`: the steps, and the sequence of them
"""
