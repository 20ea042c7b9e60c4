"""The HTML of pages that need no browser, and of every route as it would be without scripts."""
from __future__ import annotations

import html

from .areas import CALENDAR
from .routes import Fate, Route

_COUNTER = """<script>
window.dataLayer = window.dataLayer || [];
function track() { dataLayer.push(arguments); }
track('js', new Date()); track('config', 'X-0000001');
(function (d) {
  var s = d.createElement('script'); s.async = true; s.src = '/counter.js'; d.head.appendChild(s);
  d.cookie = 'visitor=' + Math.random() + '; path=/';
  if (navigator.sendBeacon) navigator.sendBeacon('/collect', location.href);
})(document);
</script>"""
_WIDGET = """<aside id="visitors"></aside>
<script>
fetch('/visitors.json').then(function (answer) { return answer.json(); }).then(function (found) {
  document.getElementById('visitors').textContent = 'Visitors online: ' + found.count;
});
</script>"""
_RELATED = """<aside id="popular"></aside>
<script>
(function () {
  var popular = ['/blog/1/', '/blog/2/', '/blog/3/'];
  var list = document.createElement('ul');
  popular.forEach(function (to, at) { list.innerHTML += '<li><a href="' + to + '">Popular ' + (at + 1) + '</a></li>'; });
  document.getElementById('popular').appendChild(list);
})();
</script>"""
_BANNER = """<script>
addEventListener('load', function () {
  if (localStorage.getItem('consent')) return;
  var banner = document.createElement('div');
  banner.setAttribute('role', 'dialog');
  banner.style.cssText = 'position:fixed;bottom:0;background:#fff';
  banner.innerHTML = '<p>We use cookies.</p><button>Accept</button>';
  document.body.appendChild(banner);
});
</script>"""
_SCRIPTS = {
    "news": _COUNTER + '<noscript><img src="/collect?noscript" alt=""></noscript>',
    "help": _COUNTER + _WIDGET,
    "blog": _COUNTER + _RELATED + '<script type="application/ld+json">{"@context": "https://schema.org", "@type": "BlogPosting"}</script>',
    "forum": _BANNER + '<script src="/legacy/jquery.min.js"></script><script>$(function () { $("nav").addClass("is-ready"); });</script>',
    "vue": _COUNTER,
}


def page(route: Route, with_scripts: bool = True) -> str:
    """A page of the server. `with_scripts` adds the scripts that ordinary pages of its section have."""
    head = "".join([
        f'<link rel="canonical" href="{html.escape(route.canonical)}">' if route.canonical else "",
        '<meta name="robots" content="noindex">' if route.fate is Fate.NOINDEX else "",
    ])
    items = "".join(f'<li><a href="{html.escape(to)}">{html.escape(label)}</a></li>' for to, label in route.links)
    links = f"<ul>{items}</ul>" if route.is_listing else f'<nav aria-label="Related"><ul>{items}</ul></nav>'
    return (
        f'<!doctype html><html lang="{route.language}"><head><meta charset="utf-8"><title>{html.escape(route.title)}</title>{head}</head><body>'
        f'<header><nav><a href="/{route.area}/">{route.area}</a> <a href="/">Home</a></nav></header>'
        f"<main>{article(route)}{links}</main><footer><small>All rights reserved</small></footer>"
        f"{_SCRIPTS.get(route.area, '') if with_scripts else ''}</body></html>"
    )


def article(route: Route) -> str:
    """The main text."""
    paragraphs = "".join(f"<p>{html.escape(text)}</p>" for text in route.paragraphs)
    return f"<article><h1>{html.escape(route.title)}</h1>{paragraphs}</article>"


def month(path: str) -> Route:
    """A month of the calendar, as its router shows it."""
    year, number = (int(part) for part in path.removeprefix(CALENDAR).split("-"))
    days = [f"On day {day} nothing takes place and nothing can be booked." for day in range(1, 29)]
    around = [(f"{CALENDAR}{year + (number - 1 + step) // 12}-{(number - 1 + step) % 12 + 1:02}", label)
              for step, label in ((-1, "earlier"), (1, "later"))]
    return Route(path, f"Calendar {year}-{number:02}", days, around)
