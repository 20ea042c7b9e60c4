"""Tools of others that open what the crawler writes: installed into virtual environments of their own, pinned.

- `environment`: one environment a list of requirements, made where it is missing or its list has changed
- `loopback`: web servers of their own for the scripts that use them
"""
