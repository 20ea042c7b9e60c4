"""The parts of `open_export`: the tools, the site whose export they open, and what they must find in it.

- `site`: pages with titles and URLs that mean something to some format
- `formats`: every format read by a tool of others, and compared with the JSON lines
"""
