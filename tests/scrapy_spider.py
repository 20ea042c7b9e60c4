"""The peer that compare_scrapy measures: a spider that follows a site's links and writes each page's link-free text.

Set up for speed as far as the work stays the same: one parse a page, links by one XPath, URLs that are known already
dropped before a request is made of them, no cookies, no telnet, no statistics to the log, no HTTP cache, no delay.
`rel=nofollow` is honoured, which spares it the half of the requests that would bring no page.
"""
from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any
from urllib.parse import urldefrag, urljoin

import scrapy
from scrapy.http import HtmlResponse, Response

LINKS = "//a[@href][not(contains(@rel, 'nofollow'))]/@href"
TEXT = "//body//text()[not(parent::script or parent::style or parent::noscript)]"


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
        "LOGSTATS_INTERVAL": 0,
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
        page = response.selector
        yield {
            "url": response.url,
            "title": page.xpath("string(//title)").get(),
            "text": " ".join(" ".join(page.xpath(TEXT).getall()).split()),
        }
        for href in set(page.xpath(LINKS).getall()):
            try:
                url = urldefrag(urljoin(response.url, href.strip())).url
            except ValueError:
                continue  # A link that is no URL leads nowhere.
            if url not in self.known and url.startswith(self.seed):
                self.known.add(url)
                yield scrapy.Request(url)
