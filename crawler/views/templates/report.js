
'use strict';
(() => {
  const PAGE = 25;
  // Shorter tables are read at a glance.
  const FILTERED = 8;
  document.documentElement.classList.add('js');

  // Text from the web enters the page only as text nodes, never as HTML.
  const make = (name, attributes, ...children) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value !== false) node.setAttribute(key, value === true ? '' : value);
    }
    node.append(...children);
    return node;
  };
  // A URL may break after its separators, as the program writes it.
  const broken = (text) => (text.split(/(?<=[/?&=])(?<!\/\/)(?![/?&=]|$)/).flatMap((part, at) => (at ? [make('wbr'), part] : [part])));
  const bdi = (text) => make('bdi', null, ...broken(String(text)));
  // A URL of a crawl as a link; anything else as text. The program's `WebUrl` has the same bounds.
  const link = (shown, href) => make('bdi', null, make('a', { href, rel: 'noopener noreferrer' }, ...broken(shown)));
  const openable = (text) => (/^https?:\/\/[!-~]+$/.test(text) && text.length <= 2000 ? link(text, text) : bdi(text));
  const cell = (value) => (Array.isArray(value) ? link(value[0], value[value.length - 1]) : bdi(value));
  const island = (id) => {
    const node = document.getElementById(id);
    return node ? JSON.parse(node.textContent) : [];
  };
  const once = (read) => {
    let value;
    return () => (value === undefined ? (value = read()) : value);
  };
  const grouped = (number) => number.toLocaleString('en-US');
  const diffs = once(() => island('diffs'));
  const reasons = once(() => island('reasons'));

  // Diffs.
  const side = (pieces, mark) => {
    if (!pieces) return make('td', { class: 'lacks' });
    const line = make('bdi');
    pieces.forEach((piece, at) => line.append(at % 2 ? make(mark, null, piece) : piece));
    return make('td', null, line);
  };
  const diffTable = (diff) => {
    const body = make('tbody');
    for (const row of diff.r) {
      if (typeof row === 'string') {
        body.append(make('tr', { class: 'same' }, make('td', null, bdi(row)), make('td', null, bdi(row))));
      } else if (typeof row === 'number') {
        body.append(make('tr', { class: 'skipped' }, make('td', { colspan: 2 }, row + ' equal lines')));
      } else {
        body.append(make('tr', null, side(row[0], 'del'), side(row[1], 'ins')));
      }
    }
    const head = make('thead', null, make('tr', null,
      make('th', { scope: 'col' }, 'kept page'), make('th', { scope: 'col' }, 'other page')));
    const table = make('table', { class: 'diff' }, make('caption', null, diff.n), head, body);
    return diff.more ? [table, make('p', { class: 'note' }, diff.more + ' more rows; the command explain shows them.')] : [table];
  };
  const differs = (number) => number < 0
    ? make('p', { class: 'note' }, reasons()[-1 - number])
    : make('details', { class: 'differs', 'data-diff': number }, make('summary', null, 'Differences'));
  const fill = (details) => {
    if ('filled' in details.dataset) return;
    details.dataset.filled = '';
    // The summary has the focus and must stay in the document.
    while (details.children.length > 1) details.lastElementChild.remove();
    details.append(...diffTable(diffs()[Number(details.dataset.diff)]));
  };
  document.addEventListener('toggle', (event) => {
    const details = event.target;
    if (details.open && 'diff' in details.dataset) fill(details);
  }, true);

  // Items of the lists, with the same HTML as the first page.
  const builders = {
    table(item, list) {
      const shown = (text) => (text === '' ? [] : [cell(text)]);
      const cells = item.map((text, at) => make(at ? 'td' : 'th', at
        ? { class: list.classes[at], role: 'cell', 'data-label': list.names[at] }
        : { class: list.classes[at], role: 'rowheader', scope: 'row' }, ...shown(text)));
      return make('tr', { role: 'row' }, ...cells);
    },
    pairs([isDropped, kept, other, measures, why, diff, keptTitle, otherTitle]) {
      const named = (name, address, title) => make('div', null, make('dt', null, name),
        make('dd', null, ...(title ? [make('bdi', { class: 'title' }, title)] : []), openable(address)));
      const button = (label, text) => make('button', { type: 'button', 'data-label': label, 'aria-pressed': 'false' }, text);
      return make('li', { class: 'card pair', 'data-left': kept, 'data-right': other },
        make('h3', null, (isDropped ? 'Dropped: ' : 'Kept: ') + measures),
        make('dl', { class: 'two' }, named('Kept page', kept, keptTitle),
          named(isDropped ? 'Dropped page' : 'Also kept', other, otherTitle)),
        make('p', { class: 'note' }, why),
        make('div', { class: 'choice js-only', role: 'group', 'aria-label': 'Are they the same?' },
          button('duplicate', 'Same'), ' ', button('different', 'Different')),
        differs(diff));
    },
    clusters([kept, title, size, duplicates]) {
      const items = duplicates.map(([verdict, measures, address, diff]) => make('li', null,
        make('span', { class: 'verdict' }, verdict), ' ', make('span', { class: 'note' }, measures), ' ', cell(address), differs(diff)));
      const details = make('details', { class: 'cluster' },
        make('summary', null, make('span', { class: 'size' }, grouped(size) + ' dropped'), ' ', bdi(title || [].concat(kept)[0])),
        make('p', null, 'Kept: ', cell(kept)),
        make('ul', { class: 'duplicates' }, ...items));
      if (size > duplicates.length) {
        details.append(make('p', { class: 'note' }, (size - duplicates.length) + ' more; the report as JSON lists all.'));
      }
      return make('li', { class: 'card' }, details);
    },
  };

  const UNITS = { bytes: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };
  // The number that a cell begins with, in bytes where it has such a unit; `null` for other text.
  const numberOf = (text) => {
    const found = /^([\d,]+(?:\.\d+)?)(?: (bytes|kB|MB|GB|TB))?$/.exec(text);
    return found && Number(found[1].replaceAll(',', '')) * (UNITS[found[2]] || 1);
  };
  // A cell of a file of comma-separated values (RFC 4180). A spreadsheet would compute what begins like a formula.
  const quoted = (text) => '"' + (/^'*[=+@\t\r\n＝＋－＠-]/.test(text) ? "'" + text : text).replaceAll('"', '""') + '"';

  // What the user has set of each list, for the list that takes its place when the page follows a crawl.
  const settings = new Map();

  class List {
    constructor(root) {
      this.root = root;
      this.items = root.querySelector('[data-items]');
      this.build = builders[root.dataset.list];
      this.heads = [...root.querySelectorAll('thead th')].filter((th) => !th.closest('.diff'));
      this.classes = this.heads.map((th) => th.className);
      this.names = this.heads.map((th) => th.textContent);
      this.first = [...this.items.children];
      this.rest = once(() => island(root.dataset.rest));
      this.isPaged = 'paged' in root.dataset;
      this.page = 0;
      this.matches = null;
      this.order = null;
      this.tools();
      if (root.dataset.list === 'table') this.sortable();
      this.set = settings.get(root.dataset.rest) || { words: '', column: '', way: '', page: 0 };
      settings.set(root.dataset.rest, this.set);
      this.restore({ ...this.set });
    }
    restore({ words, column, way, page }) {
      if (words && this.search) {
        this.search.value = words;
        this.filter(words);
      }
      // A column without content is left out, so the place of a column may change.
      if (way && this.names.includes(column)) this.sort(this.names.indexOf(column), way);
      this.show(page, page > 0);
    }
    // The numbers of the items that are shown, in their order.
    get shown() {
      const all = this.matches || Array.from({ length: this.length }, (_, at) => at);
      return this.order ? all.slice().sort((a, b) => this.order[a] - this.order[b]) : all;
    }
    cells(at) { return [...this.node(at).children].map((child) => child.textContent.trim()); }
    sortable() {
      this.heads.forEach((th, column) => {
        const button = make('button', { type: 'button', class: 'sort' }, this.names[column]);
        button.addEventListener('click', () => this.turn(column));
        th.replaceChildren(button);
      });
    }
    turn(column) {
      const first = this.classes[column] === 'n' ? 'descending' : 'ascending';
      const last = first === 'ascending' ? 'descending' : 'ascending';
      this.sort(column, this.heads[column].getAttribute('aria-sort') === first ? last : first);
    }
    sort(column, way) {
      const th = this.heads[column];
      Object.assign(this.set, { column: this.names[column], way });
      this.heads.forEach((head) => head.removeAttribute('aria-sort'));
      th.setAttribute('aria-sort', way);
      const sign = way === 'ascending' ? 1 : -1;
      const count = this.first.length + this.rest().length;
      const keys = Array.from({ length: count }, (_, at) => { const text = this.cells(at)[column]; return [numberOf(text), text]; });
      const compare = ([a, textA], [b, textB]) => (a !== null && b !== null ? a - b : a !== null ? 1 : b !== null ? -1 : textA.localeCompare(textB));
      const sorted = keys.map((_, at) => at).sort((a, b) => sign * compare(keys[a], keys[b]) || a - b);
      this.order = [];
      sorted.forEach((at, place) => { this.order[at] = place; });
      this.show(0, true);
    }
    csv() {
      const lines = [this.names, ...this.shown.map((at) => this.cells(at))].map((cells) => cells.map(quoted).join(',') + '\r\n');
      save(lines, 'text/csv;charset=utf-8', this.root.dataset.name.toLowerCase().replace(/[^a-z]+/g, '-').slice(0, 40) + '.csv');
    }
    get length() { return this.matches ? this.matches.length : this.first.length + this.rest().length; }
    get pages() { return Math.max(1, Math.ceil(this.length / PAGE)); }
    node(at) {
      if (at < this.first.length) return this.first[at];
      return this.build(this.rest()[at - this.first.length], this);
    }
    // The text that the filter searches: the words that an item shows. Diffs do not count, because the script fills them only when
    // they are opened. A URL is one word, although it may break.
    text(at) {
      const node = this.node(at).cloneNode(true);
      node.querySelectorAll('wbr, .js-only, .differs').forEach((part) => part.remove());
      node.normalize();
      const words = [];
      const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) words.push(walker.currentNode.data);
      return words.join(' ').toLowerCase();
    }
    filter(words) {
      this.set.words = words;
      const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
      this.matches = null;
      if (wanted.length) {
        // Computed once, because the words of an item do not change.
        this.texts = this.texts || Array.from({ length: this.length }, (_, at) => this.text(at));
        this.matches = [];
        this.texts.forEach((text, at) => { if (wanted.every((word) => text.includes(word))) this.matches.push(at); });
      }
      this.show(0, true);
    }
    show(page, isAsked) {
      this.page = Math.min(Math.max(page, 0), this.pages - 1);
      this.set.page = this.page;
      const from = this.page * PAGE;
      const to = Math.min(from + PAGE, this.length);
      if (!this.isPaged && !isAsked) return;
      if (isAsked) {
        this.items.replaceChildren(...this.shown.slice(from, to).map((at) => this.node(at)));
        pressed(this.items);
      }
      const noun = this.root.dataset.noun;
      this.status.textContent = this.length
        ? `${noun} ${grouped(from + 1)} to ${grouped(to)} of ${grouped(this.length)}`
        : 'No match';
      this.go.value = this.page + 1;
      this.go.max = this.pages;
      this.of.textContent = 'of ' + grouped(this.pages);
      const ends = [this.page === 0, this.page === 0, this.page === this.pages - 1, this.page === this.pages - 1];
      this.buttons.forEach((button, at) => button.setAttribute('aria-disabled', String(ends[at])));
    }
    tools() {
      const button = (text, page) => {
        const made = make('button', { type: 'button', 'aria-label': text + ' page' }, text);
        made.addEventListener('click', () => {
          if (made.getAttribute('aria-disabled') !== 'true') this.show(page(), true);
        });
        return made;
      };
      this.buttons = [
        button('First', () => 0), button('Previous', () => this.page - 1),
        button('Next', () => this.page + 1), button('Last', () => this.pages - 1),
      ];
      this.go = make('input', { type: 'number', min: 1, value: 1 });
      this.go.addEventListener('change', () => this.show(Math.trunc(Number(this.go.value) || 1) - 1, true));
      this.of = make('span');
      this.status = make('p', { role: 'status', 'aria-live': 'polite' });
      this.search = make('input', { type: 'search', autocomplete: 'off', spellcheck: 'false' });
      let waiting;
      this.search.addEventListener('input', () => {
        clearTimeout(waiting);
        waiting = setTimeout(() => this.filter(this.search.value), 150);
      });
      const parts = [];
      if (this.first.length >= FILTERED) parts.push(make('label', null, 'Filter', this.search));
      if (this.isPaged) parts.push(...this.buttons, make('label', null, 'Page', this.go), this.of);
      if (this.first.length >= FILTERED) parts.push(this.status);
      if (this.root.dataset.list === 'table') {
        const csv = make('button', { type: 'button', class: 'csv', 'aria-label': 'Save as CSV: ' + this.root.dataset.name }, 'CSV');
        csv.addEventListener('click', () => this.csv());
        parts.push(csv);
      }
      if (!parts.length) return;
      this.root.prepend(make('div', { class: 'tools', role: 'group', 'aria-label': this.root.dataset.name + ': pages' }, ...parts));
    }
  }

  const save = (parts, type, name) => {
    const address = URL.createObjectURL(new Blob(parts, { type }));
    const link = make('a', { href: address, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  };

  // The user's labels, in memory until the download.
  const labels = new Map();
  const key = (pair) => pair.dataset.left + '\t' + pair.dataset.right;
  const pressed = (root) => {
    for (const pair of root.querySelectorAll('.pair')) {
      for (const button of pair.querySelectorAll('[data-label]')) {
        button.setAttribute('aria-pressed', String(labels.get(key(pair)) === button.dataset.label));
      }
    }
  };
  const count = document.getElementById('label-count');
  const labelled = () => {
    count.textContent = labels.size === 0 ? 'No pair is labelled yet.'
      : labels.size === 1 ? '1 pair is labelled.' : grouped(labels.size) + ' pairs are labelled.';
    pressed(document);
  };
  document.addEventListener('click', (event) => {
    const button = event.target.closest('.pair button[data-label]');
    if (!button) return;
    const pair = button.closest('.pair');
    if (labels.get(key(pair)) === button.dataset.label) labels.delete(key(pair));
    else labels.set(key(pair), button.dataset.label);
    labelled();
  });
  if (count) {
    document.getElementById('clear').addEventListener('click', () => { labels.clear(); labelled(); });
    document.getElementById('download').addEventListener('click', () => {
      const lines = [...labels].map(([pair, label]) => pair + '\t' + label + '\n');
      save(lines, 'text/tab-separated-values;charset=utf-8', 'labels.tsv');
    });
  }

  const known = new WeakSet();
  const lists = () => {
    for (const root of document.querySelectorAll('.list[data-list]')) {
      const isShort = !('paged' in root.dataset) && (root.dataset.list !== 'table' || root.querySelectorAll('[data-items] > *').length < 2);
      if (known.has(root) || isShort) continue;
      known.add(root);
      new List(root);
    }
  };
  lists();
  // A page that follows a crawl has new parts.
  document.addEventListener('parts-replaced', lists);

  // Printing opens every collapsed part, because paper cannot.
  let opened = [];
  addEventListener('beforeprint', () => {
    opened = [...document.querySelectorAll('details:not([open])')];
    opened.forEach((details) => { if ('diff' in details.dataset) fill(details); details.open = true; });
  });
  addEventListener('afterprint', () => opened.forEach((details) => { details.open = false; }));
})();
