'use strict';
// Keeps the first figures as new as the crawl. Text from the crawl enters the page only as text.
(() => {
  const EVERY_MS = 3000;
  const status = document.getElementById('moved-on');
  const shown = Number(status.dataset.number);
  const set = (node, text) => { if (node && node.textContent !== text) node.textContent = text; };
  const named = (attribute, name) => [...document.querySelectorAll(`[${attribute}]`)].find((node) => node.getAttribute(attribute) === name);
  const update = async () => {
    try {
      const answer = await fetch('/api/overview', { cache: 'no-store' });
      if (answer.ok) {
        const now = await answer.json();
        set(document.getElementById('lead'), now.lead);
        set(document.getElementById('read-at'), now.read_at);
        for (const figure of now.figures) {
          set(named('data-value', figure.name), figure.value);
          set(named('data-note', figure.name), figure.note);
        }
        if (now.number !== shown) set(status, 'The crawl has moved on. The figures are new; reload the page for the tables.');
      }
    } catch {
      set(status, 'The server does not answer. The page shows the last figures.');
    }
    setTimeout(update, EVERY_MS);
  };
  setTimeout(update, EVERY_MS);
})();
