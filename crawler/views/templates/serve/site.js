'use strict';
// For every view: times that stay true, lists that answer while one types, and a page that follows a crawl. Text from the crawl enters the
// page only as text, or as the server has escaped it.
(() => {
  document.documentElement.classList.add('js');
  const MINUTE_MS = 60_000;
  const TYPING_MS = 250;
  const EVERY_MS = 3000;
  const tell = () => {
    for (const node of document.querySelectorAll('time[data-ago]')) {
      const minutes = Math.floor((Date.now() - Date.parse(node.dateTime)) / MINUTE_MS);
      if (minutes >= -1 && minutes < 60) node.textContent = minutes < 1 ? 'just now' : minutes + ' min ago';
      else if (/ago|now/.test(node.textContent)) node.textContent = node.dateTime.slice(11, 16);
    }
  };
  setInterval(tell, MINUTE_MS / 4);

  const news = {
    line: document.getElementById('news'), said: document.getElementById('news-said'),
    count: document.getElementById('news-count'), show: document.getElementById('news-show'),
  };
  const set = (node, text) => { if (node.textContent !== text) node.textContent = text; };
  const say = (said, count = '', hasMore = false) => {
    news.line.hidden = said === '';
    news.show.hidden = !hasMore;
    set(news.said, said);
    set(news.count, count);
  };

  // The parts of this page as the server shows them at `address` now: with `isForced` all of them, otherwise those that follow by
  // themselves and in which nobody is.
  const isInUse = (part) => document.activeElement !== document.body && part.contains(document.activeElement);
  window.replaceParts = async (address, isForced, isWanted = () => true) => {
    const answer = await fetch(address, { cache: 'no-store' });
    if (!answer.ok) throw new Error('The server answers ' + answer.status);
    const next = new DOMParser().parseFromString(await answer.text(), 'text/html');
    if (!isWanted()) return;
    for (const part of document.querySelectorAll('[data-part]')) {
      const found = [...next.querySelectorAll('[data-part]')].find((node) => node.dataset.part === part.dataset.part);
      if (!found || (!isForced && ('held' in part.dataset || isInUse(part)))) continue;
      // A screen reader says an alert again when it is replaced.
      if ('still' in part.dataset && part.isEqualNode(found)) continue;
      const open = [...part.querySelectorAll('details')].map((details) => details.open);
      [...found.querySelectorAll('details')].forEach((details, at) => { if (open[at]) details.open = true; });
      part.replaceChildren(...document.adoptNode(found).childNodes);
    }
    if (isForced) {
      Object.assign(document.body.dataset, { ...next.body.dataset });
      say('');
    }
    document.dispatchEvent(new Event('parts-replaced'));
  };

  for (const form of document.querySelectorAll('form[data-live]')) {
    let waiting, asked = 0;
    form.addEventListener('input', () => {
      clearTimeout(waiting);
      waiting = setTimeout(async () => {
        const filled = [...new FormData(form)].filter(([, value]) => value !== '');
        const address = new URL(form.action).pathname + '?' + new URLSearchParams(filled);
        asked += 1;
        const number = asked;
        try {
          await window.replaceParts(address, true, () => number === asked);
          if (number === asked) history.replaceState(null, '', address);
        } catch {
          // The button still asks for the page.
        }
      }, TYPING_MS);
    });
  }

  // A page follows the crawl. Figures and states follow by themselves. A part that is held is a list, or a page of text, in which somebody
  // may be reading: rows that move by themselves lose the place, so a line says what is new, and its button shows it.
  const address = () => location.pathname + location.search;
  const isHeld = document.querySelector('[data-held]') !== null;
  // What follows by itself. Where that is the head alone, the view that costs the server least has it, too.
  const followed = () => document.querySelector('main [data-part]:not([data-held], [data-from])') ? address() : '/check';
  let version = `${document.body.dataset.number} ${document.body.dataset.lines}`;
  // A server without a data folder has no crawl to follow.
  const hasCrawl = 'lines' in document.body.dataset;
  const follow = async () => {
    if (!hasCrawl) {
      for (const part of document.querySelectorAll('[data-from]')) await window.replaceParts(part.dataset.from, false);
      say('');
      return;
    }
    const answer = await fetch('/api/state', { cache: 'no-store' });
    if (!answer.ok) return;
    const got = await answer.json();
    const newest = `${got.number} ${got.journal_lines}`;
    if (newest !== version) {
      await window.replaceParts(followed(), false);
      version = newest;
    }
    // What a run does changes without any commit.
    for (const part of document.querySelectorAll('[data-from]')) {
      if (got.running || part.childElementCount > 0) await window.replaceParts(part.dataset.from, false);
    }
    if (!isHeld || String(got.number) === document.body.dataset.number) {
      say('');
      return;
    }
    const more = got.pages - Number(document.body.dataset.pages);
    const pages = more === 1 ? '1 new page.' : `${more.toLocaleString('en-US')} new pages.`;
    say('The crawl has moved on.', more > 0 ? pages : '', true);
  };
  const look = async () => {
    try {
      if (!document.hidden) await follow();
    } catch {
      say('The server does not answer. The page shows the last figures.');
    }
    setTimeout(look, EVERY_MS);
  };
  setTimeout(look, EVERY_MS);

  // The first link in the window stays where it is.
  const links = () => [...document.querySelectorAll('[data-held] a[href]')];
  const topOf = (node) => node.getBoundingClientRect().top;
  news.show.addEventListener('click', async () => {
    if (document.querySelector('[data-reload]')) {
      location.reload();
      return;
    }
    const first = scrollY > 0 ? links().find((node) => topOf(node) > 0) : undefined;
    const [href, top] = first ? [first.getAttribute('href'), topOf(first)] : [];
    try {
      await window.replaceParts(address(), true);
    } catch {
      return;
    }
    document.getElementById('main').focus({ preventScroll: true });
    const same = first && links().find((node) => node.getAttribute('href') === href);
    if (same) scrollBy(0, topOf(same) - top);
  });
})();
