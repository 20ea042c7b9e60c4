'use strict';
// Sends a text to the server and shows its answer. Text from the crawl enters the page only as text.
(() => {
  const byId = (id) => document.getElementById(id);
  const token = document.querySelector('meta[name=crawler-token]').content;
  const verdicts = { new: 'New', near: 'Near-duplicate', exact: 'Exact duplicate', contained: 'Contained in a kept page', too_short: 'Too short to compare' };
  const make = (name, text) => { const node = document.createElement(name); if (text !== undefined) node.textContent = text; return node; };
  const percent = (share) => (share * 100).toFixed(0) + ' %';

  const near = (page) => {
    const item = make('li');
    item.className = 'card';
    const head = make('h3');
    const link = make('a');
    link.href = '/page?' + new URLSearchParams({ url: page.url });
    link.append(make('bdi', page.title || page.url));
    head.append(link);
    const url = make('p');
    url.className = 'note';
    url.append(make('bdi', page.url));
    const parts = [page.is_exact ? 'the same text' : page.is_duplicate ? 'duplicate' : 'not a duplicate'];
    if (page.distance !== null) parts.push(page.distance === 1 ? '1 bit apart' : page.distance + ' bits apart');
    parts.push('similarity ' + page.similarity.toFixed(3));
    if (page.covered !== null) parts.push(percent(page.covered) + ' of your text is in shared passages');
    item.append(head, url, make('p', parts.join(', ')));
    if (page.unreadable) item.append(make('p', page.unreadable));
    if (page.passages.length) {
      const list = make('ul');
      for (const passage of page.passages) {
        const line = make('li');
        line.append(make('bdi', passage.text));
        list.append(line);
      }
      item.append(make('p', 'Shared passages, the longest first:'), list);
      if (page.passages_left_out) item.append(make('p', page.passages_left_out + ' more passages.'));
    }
    return item;
  };

  const check = async (body, name) => {
    byId('said').textContent = 'Checking …';
    byId('answer').hidden = true;
    const query = new URLSearchParams({ name });
    if (byId('url').value) query.set('url', byId('url').value);
    try {
      const got = await fetch('/api/check?' + query, {
        method: 'POST', headers: { 'Content-Type': 'application/octet-stream', 'X-Crawler-Token': token }, body,
      });
      const answer = await got.json();
      if (!got.ok) throw new Error(answer.error);
      byId('answer-h').textContent = verdicts[answer.verdict];
      byId('reason').textContent = answer.reason;
      byId('size').textContent = `${answer.words} words and ${answer.characters} characters of scripts without spaces`;
      byId('nearest').replaceChildren(...answer.nearest.map(near));
      byId('answer').hidden = false;
      byId('said').textContent = verdicts[answer.verdict] + '.';
      byId('answer').focus();
    } catch (error) {
      byId('said').textContent = error.message;
    }
  };
  const checkFile = (file) => check(file, file.name);
  byId('form').addEventListener('submit', (event) => {
    event.preventDefault();
    const file = byId('file').files[0];
    const text = byId('text').value;
    if (text.trim()) check(text, '');
    else if (file) checkFile(file);
    else byId('said').textContent = 'Type a text, or choose a file.';
  });
  byId('file').addEventListener('change', () => { if (byId('file').files[0]) checkFile(byId('file').files[0]); });
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    event.preventDefault();
    const file = event.dataTransfer.files[0];
    if (file) checkFile(file);
  });
})();
