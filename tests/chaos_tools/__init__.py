"""The parts of `tests/chaos`.

- `site`: a random, partly hostile site on loopback, with a log of the requests
- `program`: the commands of the crawler, and the ways to end them
- `damage`: damage to the files of a data folder
- `model`: the model that must hold after every step
- `steps`: the steps, and the sequence of them
"""
