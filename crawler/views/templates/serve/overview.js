'use strict';
// Keeps the overview as new as the crawl: when the server has read a newer state, the parts of the page are fetched again.
(() => {
  const EVERY_MS = 3000;
  const status = document.getElementById('moved-on');
  let shown = Number(status.dataset.number);
  const set = (text) => { if (status.textContent !== text) status.textContent = text; };
  const update = async () => {
    try {
      const answer = await fetch('/api/overview', { cache: 'no-store' });
      if (answer.ok) {
        const { number } = await answer.json();
        if (number !== shown) {
          await window.replaceParts('/', false);
          shown = number;
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
