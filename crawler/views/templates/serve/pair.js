'use strict';
// Labels a pair, and goes on by keys. Text from the crawl enters the page only as text.
(() => {
  document.documentElement.classList.add('js');
  const section = document.getElementById('label');
  const said = document.getElementById('said');
  const keys = document.getElementById('keys');
  const withdraw = section.querySelector('[data-label=withdrawn]');
  const token = document.querySelector('meta[name=crawler-token]').content;
  const words = { duplicate: 'Your label: same. It is saved.', different: 'Your label: different. It is saved. It counts when all pages are decided again.', withdrawn: 'The label is withdrawn.' };
  const OFF = 'crawler-keys-off';
  keys.checked = localStorage.getItem(OFF) === null;
  keys.addEventListener('change', () => { if (keys.checked) localStorage.removeItem(OFF); else localStorage.setItem(OFF, '1'); });

  const label = async (value) => {
    said.textContent = 'Saving …';
    try {
      const answer = await fetch('/api/labels', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Crawler-Token': token },
        body: JSON.stringify({ a: section.dataset.a, b: section.dataset.b, label: value }),
      });
      const got = await answer.json();
      if (!answer.ok) throw new Error(got.error);
      for (const button of section.querySelectorAll('[aria-pressed]')) button.setAttribute('aria-pressed', String(button.dataset.label === value));
      withdraw.hidden = value === 'withdrawn';
      said.textContent = words[value];
    } catch (error) {
      said.textContent = 'Not saved: ' + error.message;
    }
  };
  section.addEventListener('click', (event) => {
    const button = event.target.closest('[data-label]');
    if (button) label(button.dataset.label);
  });
  const go = (id) => {
    const link = document.getElementById(id);
    if (link) link.click();
    else said.textContent = id === 'after' ? 'This is the last pair.' : 'This is the first pair.';
  };
  const acts = { s: () => label('duplicate'), d: () => label('different'), u: () => label('withdrawn'), j: () => go('after'), k: () => go('before') };
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest('input:not([type=checkbox]), textarea, select');
    if (!keys.checked || isTyping || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    const act = acts[event.key];
    if (act) { event.preventDefault(); act(); }
  });
})();
