"""Opening the report in a browser.

- `site`: a site on loopback that means harm
- `open.mjs`: drives Chromium; `session.mjs` opens pages and listens to them, `checks.mjs` is what is looked at, `pictures.mjs` takes
  pictures
"""
