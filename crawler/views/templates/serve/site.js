'use strict';
// For every view: times that stay true, and lists that answer while one types. Text from the crawl enters the page only as text, or as
// the server has escaped it.
(() => {
  const MINUTE_MS = 60_000;
  const TYPING_MS = 250;
  const tell = () => {
    for (const node of document.querySelectorAll('time[data-ago]')) {
      const minutes = Math.floor((Date.now() - Date.parse(node.dateTime)) / MINUTE_MS);
      if (minutes >= -1 && minutes < 60) node.textContent = minutes < 1 ? 'just now' : minutes + ' min ago';
      else if (/ago|now/.test(node.textContent)) node.textContent = node.dateTime.slice(11, 16);
    }
  };
  setInterval(tell, MINUTE_MS / 4);

  // The parts of this page as the server shows them at `address` now. A part in use stays as it is.
  const isInUse = (part) => part.contains(document.activeElement) && document.activeElement !== document.body
    || [...part.querySelectorAll('input[type=search]')].some((input) => input.value !== input.defaultValue)
    || part.querySelector('th[aria-sort] button') !== null;
  window.replaceParts = async (address, isForced, isWanted = () => true) => {
    const answer = await fetch(address, { cache: 'no-store' });
    if (!answer.ok) throw new Error('The server answers ' + answer.status);
    const next = new DOMParser().parseFromString(await answer.text(), 'text/html');
    if (!isWanted()) return;
    for (const part of document.querySelectorAll('[data-part]')) {
      const found = [...next.querySelectorAll('[data-part]')].find((node) => node.dataset.part === part.dataset.part);
      if (!found || (!isForced && isInUse(part))) continue;
      const open = [...part.querySelectorAll('details')].map((details) => details.open);
      [...found.querySelectorAll('details')].forEach((details, at) => { if (open[at]) details.open = true; });
      part.replaceChildren(...document.adoptNode(found).childNodes);
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
})();
