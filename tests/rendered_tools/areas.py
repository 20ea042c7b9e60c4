"""The routes of each area of the site."""
from __future__ import annotations

from .routes import Fate, Needs, Route
from .texts import chinese, chinese_title, edited, english, english_title

# Each area takes its texts from numbers of its own.
_REACT, _NOTES, _JOBS, _VUE, _SVELTE, _GUIDE, _ANGULAR, _STREAM, _LEGACY, _STATIC = range(0, 10_000, 1_000)
STATIC_SECTIONS = {"news": 160, "help": 120, "blog": 100, "forum": 60}
"""Pages of each static section."""
CALENDAR = "/react/calendar/"
"""The router of this folder has a page for every month, and each links to the next."""


def site() -> dict[str, Route]:
    """Every route by its path, except for the months of the calendar."""
    routes = [*react(), *vue(), *svelte(), *angular(), *stream(), *legacy(), *static()]
    roots = [(f"/{area}/", f"Area {area}") for area in ("react", "vue", "svelte", "angular", "stream", "legacy", *STATIC_SECTIONS)]
    routes.append(Route("/", "A site with several areas", english(9_999), roots, Needs.NOTHING))
    found = {route.path: route for route in routes}
    assert len(found) == len(routes), "a path stands twice"
    return found


def react() -> list[Route]:
    """Client routing; data by fetch; a list that grows while the reader scrolls; a button that shows more; drafts; copies."""
    articles = [Route(f"/react/articles/{number}-{slug}", english_title(_REACT + number), english(_REACT + number))
                for number, slug in enumerate(["harbour", "market", "bridge", "library"] * 6)]
    copies = []
    for at, article in enumerate(articles):
        article.links = [_link(articles[(at + step) % len(articles)]) for step in (1, 5)]
        if at % 4 == 0:
            copies.append(_copy(article, f"{article.path}/print"))
        if at % 6 == 1:
            copies.append(_copy(article, f"/react/a/{at}"))
        if at % 6 == 2:
            copies.append(_edition(article, f"{article.path}-2nd-edition", at))
        if at % 12 == 5:
            copies.append(_copy(article, f"/react/old/{at}", canonical=article.path))
    for copy in copies:
        assert copy.same_as
        next(article for article in articles if article.path == copy.same_as).links.append((copy.path, f"Version {copy.path}"))
    topics = [Route(f"/react/topics/{name}", f"Topic {name}", english(_REACT + 100 + at, 2), [_link(one) for one in articles[at::3]])
              for at, name in enumerate(["trade", "travel", "crafts"])]
    notes = [Route(f"/react/notes/{number}", english_title(_NOTES + number), english(_NOTES + number, 3)) for number in range(30)]
    archive = Route("/react/archive", "Archive of notes", english(_REACT + 110, 2), [_link(note) for note in notes], is_scrolled=True)
    jobs = [Route(f"/react/jobs/{number}", f"Job {english_title(_JOBS + number)}", english(_JOBS + number)) for number in range(8)]
    offers = Route("/react/jobs", "Open positions", english(_REACT + 111, 2), [_link(job) for job in jobs[:4]],
                   clicked=[_link(job) for job in jobs[4:]])
    drafts = [Route(f"/react/drafts/{number}", english_title(_REACT + 120 + number), english(_REACT + 120 + number), fate=Fate.NOINDEX)
              for number in range(2)]
    missing = [Route(f"/react/gone/{number}", "Page not found", ["The page that you are looking for does not exist."], fate=Fate.MISSING)
               for number in range(3)]
    account = Route("/react/account", "What an account is for", english(_REACT + 130))
    home = Route("/react/", "React area", english(_REACT + 131, 2),
                 [_link(one) for one in (*topics, archive, offers, account, *drafts, *missing)] + [(CALENDAR + "2026-01", "Calendar")])
    return [home, *topics, *articles, *copies, archive, *notes, offers, *jobs, *drafts, *missing, account]


def vue() -> list[Route]:
    """Texts in Chinese, each in a chunk of its own, shown after a delay; static press releases in the same folder."""
    stories = [Route(f"/vue/stories/{number}", chinese_title(_VUE + number), chinese(_VUE + number), language="zh",
                     delay_ms=500 + number * 137 % 1_001) for number in range(20)]
    copies = [_copy(stories[number], f"/vue/m/stories/{number}") for number in (2, 7, 11)]
    copies += [_edition(stories[number], f"/vue/stories/{number}-new", number) for number in (4, 9)]
    for copy in copies:
        next(story for story in stories if story.path == copy.same_as).links.append((copy.path, f"版本 {copy.path}"))
    pages = [Route(f"/vue/page/{at}", f"故事列表 {at}", chinese(_VUE + 100 + at, 2), [_link(story) for story in stories[at * 5:at * 5 + 5]],
                   language="zh", delay_ms=600) for at in range(4)]
    press = [Route(f"/vue/press/{number}.html", english_title(_VUE + 200 + number), english(_VUE + 200 + number), needs=Needs.NOTHING)
             for number in range(30)]
    for at, release in enumerate(press):
        release.links = [_link(press[(at + step) % len(press)]) for step in (1, 7)]
    home = Route("/vue/", "故事", chinese(_VUE + 110, 2), [*(_link(page) for page in pages), _link(press[0])], language="zh", delay_ms=900)
    return [home, *pages, *stories, *copies, *press]


def svelte() -> list[Route]:
    """Recipes without server rendering, and a guide that the build has rendered."""
    recipes = [Route(f"/svelte/recipes/{number}", english_title(_SVELTE + number), english(_SVELTE + number)) for number in range(16)]
    copies = [_copy(recipes[number], f"/svelte/recipes/{number}/print") for number in (1, 6, 12)]
    for copy in copies:
        next(recipe for recipe in recipes if recipe.path == copy.same_as).links.append((copy.path, f"Print {copy.path}"))
    tags = [Route(f"/svelte/tags/{name}", f"Recipes: {name}", english(_SVELTE + 100 + at, 2), [_link(one) for one in recipes[at::4]])
            for at, name in enumerate(["soup", "bread", "salad", "cake"])]
    guide = [Route(f"/svelte/guide/{number}", english_title(_GUIDE + number), english(_GUIDE + number), needs=Needs.NOTHING)
             for number in range(24)]
    for at, step in enumerate(guide):
        step.links = [_link(guide[(at + far) % len(guide)]) for far in (1, 5)]
    home = Route("/svelte/", "Svelte area", english(_SVELTE + 110, 2), [*(_link(tag) for tag in tags), _link(guide[0])])
    return [home, *tags, *recipes, *copies, *guide]


def angular() -> list[Route]:
    """A shop: lazy routes, variants that differ in a word, products behind a click."""
    products = [Route(f"/angular/products/{number}", english_title(_ANGULAR + number), english(_ANGULAR + number)) for number in range(18)]
    variants = [_edition(products[number], f"/angular/products/{number}-blue", number) for number in (0, 5, 10, 15)]
    for variant in variants:
        next(one for one in products if one.path == variant.same_as).links.append((variant.path, f"In blue: {variant.path}"))
    categories = []
    for at, name in enumerate(["lamps", "tables", "shelves"]):
        of_it = products[at::3]
        categories.append(Route(f"/angular/categories/{name}", f"Category {name}", english(_ANGULAR + 100 + at, 2),
                                [_link(one) for one in of_it[:4]], clicked=[_link(one) for one in of_it[4:]]))
    home = Route("/angular/", "Angular area", english(_ANGULAR + 110, 2), [_link(category) for category in categories])
    return [home, *categories, *products, *variants]


def stream() -> list[Route]:
    """Rendered by the server, and sent in pieces: what came late lies at the end of the HTML until a script moves it."""
    reports = [Route(f"/stream/reports/{number}", english_title(_STREAM + number), english(_STREAM + number), needs=Needs.EITHER,
                     delay_ms=60 + number * 40) for number in range(12)]
    for at, report in enumerate(reports):
        report.links = [_link(reports[(at + 1) % len(reports)])]
    home = Route("/stream/", "Reports", english(_STREAM + 110, 2), [_link(report) for report in reports[::3]], needs=Needs.EITHER,
                 delay_ms=100)
    return [home, *reports]


def legacy() -> list[Route]:
    """jQuery loads a piece of HTML into an empty page that its query names; one page routes by its fragment."""
    items = [Route(f"/legacy/item.html?id={number}", english_title(_LEGACY + number), english(_LEGACY + number)) for number in range(12)]
    router = Route("/legacy/router.html", english_title(_LEGACY + 50), english(_LEGACY + 50))
    home = Route("/legacy/", "Legacy area", english(_LEGACY + 110, 2), [*(_link(item) for item in items), _link(router)], needs=Needs.NOTHING)
    return [home, *items, router]


def static() -> list[Route]:
    """Pages of a server, with the scripts of an ordinary page: they count visitors, fill a box, and show a banner."""
    routes = []
    for at, (section, count) in enumerate(STATIC_SECTIONS.items()):
        base = _STATIC + at * 200
        pages = [Route(_static_path(section, number), english_title(base + number), english(base + number), needs=Needs.NOTHING)
                 for number in range(count)]
        for number, page in enumerate(pages):
            page.links = [_link(pages[(number + step) % count]) for step in (1, 9)]
        copies = [_copy(pages[number], f"{pages[number].path}?print=1") for number in range(3, count, 40)]
        copies += [_edition(pages[number], _static_path(section, count + number), number) for number in range(5, count, 50)]
        for copy in copies:
            next(page for page in pages if page.path == copy.same_as).links.append((copy.path, f"Version {copy.path}"))
        home = Route(f"/{section}/", f"Section {section}", english(base + 190, 2), [_link(page) for page in pages[::10]], needs=Needs.NOTHING)
        routes += [home, *pages, *copies]
    return routes


def _static_path(section: str, number: int) -> str:
    if section == "news":
        return f"/news/2026/{1 + number % 12:02}/{number}-report"
    return f"/{section}/{number}.html" if section == "help" else f"/{section}/{number}/"


def _link(route: Route) -> tuple[str, str]:
    return route.path, route.title


def _copy(route: Route, path: str, canonical: str | None = None) -> Route:
    """The same text under another path."""
    return Route(path, route.title, route.paragraphs, route.links[:1], route.needs, Fate.EXACT, route.path, language=route.language,
                 delay_ms=route.delay_ms, canonical=canonical)


def _edition(route: Route, path: str, number: int) -> Route:
    """The text with a small change under another path."""
    return Route(path, route.title, edited(route.paragraphs, number), route.links[:1], route.needs, Fate.NEAR, route.path,
                 language=route.language, delay_ms=route.delay_ms)
