"""The peer that compare_scrapy measures: a spider that follows a site's links and writes each page's title and text.

Set up as somebody would who knows Scrapy and wants it fast, as far as the work stays the same: one parse a page, compiled
XPath on the lxml tree (parsel would wrap every text node in an object, twice as slow), URLs that are known already dropped
before a request is made of them, no cookies, no console, no HTTP cache, no delay. It follows the links that the crawler
follows, so both make the same requests.
"""
from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any
from urllib.parse import urljoin

import scrapy
from lxml import etree
from scrapy.http import HtmlResponse, Response

TITLE = etree.XPath("string(//title)", smart_strings=False)
LINKS = etree.XPath("//a/@href", smart_strings=False)
TEXT = etree.XPath("//body//text()[not(parent::script or parent::style or parent::noscript)]", smart_strings=False)


class SiteSpider(scrapy.Spider):
    """Crawls the site below `seed` (`-a seed=URL`)."""

    name = "site"
    custom_settings = {
        "CONCURRENT_REQUESTS": 32,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 32,
        "DOWNLOAD_DELAY": 0,
        "ROBOTSTXT_OBEY": True,
        "HTTPCACHE_ENABLED": False,
        "COOKIES_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_LEVEL": "WARNING",
    }

    def __init__(self, seed: str, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.seed = seed
        self.known = {seed}

    async def start(self) -> AsyncIterator[scrapy.Request]:
        """The index page."""
        yield scrapy.Request(self.seed)

    def parse(self, response: Response) -> Iterator[Any]:
        """The page's text and its links to the same site."""
        if not isinstance(response, HtmlResponse):
            return
        tree = response.selector.root
        yield {"url": response.url, "title": TITLE(tree), "text": " ".join(" ".join(TEXT(tree)).split())}
        for href in {href.partition("#")[0].strip() for href in LINKS(tree)}:
            try:
                url = urljoin(response.url, href)
            except ValueError:
                continue  # A link that is no URL leads nowhere.
            if url not in self.known and url.startswith(self.seed):
                self.known.add(url)
                yield scrapy.Request(url)
