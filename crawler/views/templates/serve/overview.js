'use strict';
// Keeps the overview as new as the crawl: when the server has read a newer state, or an order has come, the parts of the page are fetched again.
(() => {
  const EVERY_MS = 3000;
  const status = document.getElementById('moved-on');
  let shown = `${status.dataset.number} ${status.dataset.lines}`;
  const set = (text) => { if (status.textContent !== text) status.textContent = text; };
  const update = async () => {
    try {
      const answer = await fetch('/api/overview', { cache: 'no-store' });
      if (answer.ok) {
        const got = await answer.json();
        const newest = `${got.number} ${got.journal_lines}`;
        if (newest !== shown) {
          await window.replaceParts('/', false);
          shown = newest;
        }
        set('');
      }
    } catch {
      set('The server does not answer. The page shows the last figures.');
    }
    setTimeout(update, EVERY_MS);
  };
  setTimeout(update, EVERY_MS);
})();
