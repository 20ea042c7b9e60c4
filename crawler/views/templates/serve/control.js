'use strict';
// Asks about an order, sends it, and shows the answer. Text from the crawl enters the page only as text.
(() => {
  document.documentElement.classList.add('js');
  const byId = (id) => document.getElementById(id);
  const token = document.querySelector('meta[name=crawler-token]').content;
  const lines = (id) => byId(id).value.split('\n').map((line) => line.trim()).filter((line) => line !== '');
  const say = (text) => { byId('said').textContent = text; };
  // Commas where the page groups digits.
  const counted = (count, one, many) => count === 1 ? '1 ' + one : count.toLocaleString('en') + ' ' + many;

  // The order of each form, what to ask, and the text of the order; or what is missing.
  const forms = {
    add() {
      const urls = lines('add').filter((line) => !line.startsWith('#'));
      return { missing: urls.length ? '' : 'Write a URL.', order: { order: 'add', urls }, ask: `Add ${counted(urls.length, 'URL', 'URLs')}?`, tell: urls.join('\n') };
    },
    drop() {
      const what = lines('drop');
      return { missing: what.length ? '' : 'Write a host or a pattern.', order: { order: 'drop', what }, ask: 'Fetch nothing more of this?', tell: what.join('\n') };
    },
    delay() {
      const host = byId('host').value.trim();
      const seconds = byId('seconds').value.trim();
      const missing = host === '' ? 'Write a host.' : seconds === '' ? 'Write the seconds, or default.' : '';
      const tell = seconds === 'default' ? `${host}: the delay of the configuration` : `${host}: ${seconds} seconds between two requests`;
      return { missing, order: { order: 'delay', host, seconds }, ask: 'Change the delay?', tell };
    },
  };

  let asked = null;
  const ask = (order, question, tell, form) => {
    asked = { order, form };
    byId('ask-h').textContent = question;
    byId('ask-text').textContent = tell;
    byId('ask').showModal();
    byId('give').focus();
  };

  const states = { done: 'Done', refused: 'Refused', waiting: 'Waiting', unchanged: 'Nothing to do' };
  const give = async ({ order, form }) => {
    say('Waiting for the answer …');
    byId('said').focus();
    let got = null;
    try {
      const answer = await fetch('/api/control', {
        method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Crawler-Token': token }, body: JSON.stringify(order),
      });
      got = await answer.json();
      if (!answer.ok) {
        say('Not ordered: ' + got.error);
        return;
      }
    } catch {
      say(order.order === 'stop' ? 'The server has ended, perhaps with the run. Reload the page.' : 'The server does not answer. Reload the page to see whether the order was given.');
      return;
    }
    say(`${states[got.state]}: ${got.text}`);
    if (form && got.state !== 'refused') form.reset();
    try {
      await window.replaceParts('/control', true);
    } catch {
      // The answer stands; the next look shows the rest.
    }
  };

  document.addEventListener('click', (event) => {
    const button = event.target.closest('[data-order]');
    if (button) ask(JSON.parse(button.dataset.order), button.dataset.ask, button.dataset.tell, null);
  });
  for (const form of document.querySelectorAll('form[data-give]')) {
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const { missing, order, ask: question, tell } = forms[form.dataset.give]();
      if (missing) say(missing);
      else ask(order, question, tell, form);
    });
  }
  // The host that another view names.
  const named = new URLSearchParams(location.search).get('host');
  if (named && byId('host')) {
    byId('host').value = named;
    byId('seconds').focus();
  }
  byId('leave').addEventListener('click', () => byId('ask').close());
  byId('give').addEventListener('click', () => {
    byId('ask').close();
    give(asked);
  });
})();
