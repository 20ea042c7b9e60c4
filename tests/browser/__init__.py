"""Opening the report in a browser.

- `site`: a site on loopback that means harm
- `modules`: the modules of Node.js, from npm
- `serve.mjs`: drives Chromium through the views of `crawler serve`
- `open.mjs`: drives Chromium; `session.mjs` opens pages and listens to them, `checks.mjs` is what is looked at, `pictures.mjs` takes
  pictures
"""
