"""A site whose pages need a browser, its truth, and the crawls of it, for `open_rendered`, `rendered_long` and `rendered_walls`.

- `texts`: texts that read like articles, as a function of a number
- `routes`: the routes of the site, with the text, title, links and verdict of each
- `areas`: the routes of each area
- `build`: the areas by the ordinary builds of their frameworks, from npm packages, in target/
- `server`: the site on loopback, as its frameworks serve it, and as static pages; the log of its requests
- `static`: the HTML of the pages that need no browser
- `crawl`: a crawl with a configuration of `[render]`, and what it says
- `judge`: what a crawl found against the truth
- `ways`: the ways that a page has to make a browser connect somewhere
- `namespace`: a network of its own for a script, with a name server and a listener that nobody may reach
- `processes`: the memory of a crawler and of its browsers, and what they leave behind
"""
