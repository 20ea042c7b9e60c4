// What is looked at.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tabTo } from './session.mjs';

const SECTIONS = [
  'summary', 'thresholds', 'doubtful', 'clusters', 'hosts', 'steering', 'failures', 'excluded', 'redirects', 'refresh', 'timeline',
];

export async function sections({ page, milliseconds }, say, scheme) {
  const lacking = [];
  for (const id of SECTIONS) {
    const text = (await page.locator(`section#${id}`).innerText()).trim();
    if (text.split('\n').filter(Boolean).length < 2) lacking.push(id);
    if ((await page.locator(`nav a[href="#${id}"]`).count()) !== 1) lacking.push(`${id} in the contents`);
  }
  say(`${scheme}: every section is there and not empty`, lacking.length === 0, `${SECTIONS.length} sections, opened in ${milliseconds} ms`, lacking);
  const charts = await page.locator('svg[role=img]').evaluateAll((all) => all.filter((svg) => svg.querySelector('rect')
    && svg.getAttribute('aria-labelledby').split(' ').every((id) => document.getElementById(id).textContent)
    && svg.closest('figure').querySelector('table tbody tr')).length);
  say(`${scheme}: charts have bars, a title, a description and a table`, charts >= 2, `${charts} charts`);
  const thresholds = await page.locator('svg line.threshold').count();
  say(`${scheme}: the thresholds are drawn in`, thresholds === 2, thresholds);
}

export async function accessible({ page, axe }, say, what) {
  await page.evaluate(`${axe}; undefined`);
  const violations = await page.evaluate(async () => (await window.axe.run(document)).violations
    .map(({ id, impact, nodes }) => ({ id, impact, node: nodes[0].html.slice(0, 120), why: nodes[0].failureSummary })));
  const serious = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
  say(`${what}: axe-core finds nothing serious`, serious.length === 0, `${violations.length} findings in all`,
    violations.map((violation) => JSON.stringify(violation)));
}

export async function quiet({ requests, complaints, dialogs, address }, say, scheme) {
  const others = requests.filter((url) => url !== address && !url.startsWith('blob:null/'));
  say(`${scheme}: nothing is asked for but the file`, others.length === 0 && requests.includes(address), `${requests.length} requests`, others);
  say(`${scheme}: no console error, no violation of the policy`, complaints.length === 0, complaints.length, complaints);
  say(`${scheme}: no dialog`, dialogs.length === 0, dialogs.length, dialogs);
}

// The policy, and not only the page's good will, keeps it from asking anybody: a server hears nothing.
export async function closed({ page }, say) {
  let heard = 0;
  const server = createServer((_request, response) => { heard += 1; response.end(); });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  const outcome = await page.evaluate(async (address) => {
    const image = new Promise((resolve) => {
      const node = new Image();
      node.onload = () => resolve('loaded');
      node.onerror = () => resolve('refused');
      node.src = address;
    });
    const fetched = fetch(address).then(() => 'fetched', () => 'refused');
    const script = document.createElement('script');
    script.textContent = 'window.injected = true';
    document.body.append(script);
    return [await image, await fetched, String(window.injected)];
  }, `http://127.0.0.1:${server.address().port}/`);
  await new Promise((resolve) => { server.close(resolve); });
  say('the policy refuses requests and foreign scripts', outcome.join() === 'refused,refused,undefined' && heard === 0,
    `${outcome.join()}; ${heard} requests heard`);
}

export async function textOnly({ page }, say, kind) {
  const found = await page.evaluate(() => ({
    elements: [...document.querySelectorAll('img, iframe, object, embed, link, base, form, svg [onload]')].map((node) => node.outerHTML.slice(0, 80)),
    handlers: [...document.querySelectorAll('*')].filter((node) => [...node.attributes].some(({ name }) => name.startsWith('on')))
      .map((node) => node.outerHTML.slice(0, 80)),
    scripts: [...document.scripts].filter((script) => script.type !== 'application/json').length,
    titles: [...document.querySelectorAll('#clusters summary bdi')].map((node) => node.textContent),
    text: document.body.innerText,
  }));
  const bad = [...found.elements, ...found.handlers];
  say('no element was injected', bad.length === 0 && found.scripts === 1, `${found.scripts} script of the page's own`, bad);
  const turning = /[\u202a-\u202e\u2066-\u2069\u200e\u200f]/.exec(found.text);
  say('no mark turns the direction of the page', !turning, turning ? found.text.slice(turning.index, turning.index + 40) : 'none');
  if (kind !== 'hostile') return;
  const wanted = [
    "<script>alert('title')</script>", "</script><script>alert('island')</script>", '<!-- <script>', 'onerror=alert', '[U+202E]',
    '漢字と かな', 'عنوان الصفحة', '<![CDATA[',
  ];
  const lacking = wanted.filter((text) => !found.titles.some((title) => title.includes(text)));
  say('titles that mean harm are text', lacking.length === 0, `${wanted.length} titles`, [...lacking, ...found.titles.map((title) => title.slice(0, 60))]);
  const longest = Math.max(...found.titles.map((title) => title.length));
  const told = found.titles.some((title) => /^x{200}… \([\d,]+ characters\)$/.test(title));
  say('long titles are cut and their length told', longest < 300 && told, `${longest} characters`);
}

// The lists that have more than one page, by keyboard alone.
export async function paging({ page }, say) {
  const lists = await page.locator('.list[data-paged]').evaluateAll((all) => all.map((list) => list.dataset.name));
  say('there are lists to be paged through', lists.length > 0, lists.length, lists);
  const state = (name) => page.evaluate((wanted) => {
    const list = [...document.querySelectorAll('.list[data-paged]')].find((node) => node.dataset.name === wanted);
    const items = list.querySelector('[data-items]');
    const status = list.querySelector('[role=status]');
    return {
      first: items.firstElementChild.textContent, rows: items.children.length, said: status.textContent,
      live: status.getAttribute('aria-live'), cells: items.firstElementChild.children.length,
    };
  }, name);
  for (const name of lists.slice(0, 4)) {
    await page.evaluate(() => { document.activeElement.blur(); getSelection().removeAllRanges(); });
    const before = await state(name);
    const isNext = `document.activeElement.textContent === 'Next' && document.activeElement.closest('.list').dataset.name === ${JSON.stringify(name)}`;
    const reached = await tabTo(page, isNext);
    await page.keyboard.press('Enter');
    const after = await state(name);
    const stays = await page.evaluate(isNext);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const last = await state(name);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    const again = await state(name);
    const passed = reached && stays && before.rows === 25 && after.first !== before.first && after.said !== before.said
      && after.live === 'polite' && after.cells === before.cells && last.rows > 0 && again.first === before.first && again.said === before.said;
    say(`paging by keyboard: ${name}`, passed, `${before.said}; ${after.said}; ${last.said}`, passed ? [] : [reached, stays, JSON.stringify([before, after, last, again])]);
  }
}

// Whether the doubtful pairs are paged through, without which there is nothing to check; the hostile report must have so many.
async function hasPages(page, say, kind, what) {
  const isPaged = (await page.locator('.list[data-list=pairs][data-paged]').count()) > 0;
  if (!isPaged && kind === 'hostile') say(`${what}: the doubtful pairs have more than one page`, false);
  return isPaged;
}

export async function filter({ page }, say, kind) {
  if (!(await hasPages(page, say, kind, 'filter'))) return;
  const list = page.locator('.list[data-list=pairs][data-paged]');
  const url = await list.locator('.pair').nth(2).getAttribute('data-right');
  await list.locator('input[type=search]').focus();
  await page.keyboard.type(url);
  await page.waitForFunction((wanted) => /1 to \d+ of \d+/.test(document.querySelector('#doubtful .tools [role=status]').textContent)
    && [...document.querySelectorAll('#doubtful .pair')].every((pair) => pair.textContent.includes(wanted)), url, { timeout: 5000 }).catch(() => {});
  const shown = await list.locator('.pair').evaluateAll((pairs, wanted) => pairs.map((pair) => pair.textContent.includes(wanted)), url);
  say('the filter leaves what matches', shown.length > 0 && shown.length < 25 && shown.every(Boolean), `${shown.length} pairs`);
  for (let at = 0; at < url.length; at += 1) await page.keyboard.press('Backspace');
  await page.waitForFunction(() => document.querySelectorAll('#doubtful .pair').length === 25, undefined, { timeout: 5000 }).catch(() => {});
}

// A filter finds what is shown, on whichever page: as many as are found by paging through.
export async function filterByWhatIsShown({ page }, say, kind) {
  for (const [section, query] of [['doubtful', 'dropped: similarity'], ['clusters', '"quoted" \'quoted\'']]) {
    const list = page.locator(`#${section} .list[data-paged]`);
    if ((await list.count()) === 0) {
      if (kind === 'hostile') say(`a filter finds what is shown on any page: ${section}`, false, 'it has one page only');
      continue;
    }
    const button = (name) => list.locator('.tools button', { hasText: name });
    const words = query.split(' ');
    const onPage = () => list.locator('[data-items] > *').evaluateAll((items, wanted) => items.filter((item) => {
      const text = item.textContent.toLowerCase();
      return wanted.every((word) => text.includes(word));
    }).length, words);
    const press = (name) => button(name).evaluate((node) => node.click());
    await press('First');
    const first = await onPage();
    let all = first;
    while ((await button('Next').getAttribute('aria-disabled')) !== 'true') {
      await press('Next');
      all += await onPage();
    }
    const status = list.locator('.tools [role=status]');
    const before = await status.textContent();
    await list.locator('input[type=search]').fill(query);
    await page.waitForFunction(([id, said]) => document.querySelector(`#${id} .tools [role=status]`).textContent !== said,
      [section, before], { timeout: 5000 }).catch(() => {});
    const said = await status.textContent();
    const found = Number((/of ([\d,]+)$/.exec(said) || ['', '0'])[1].replaceAll(',', ''));
    // In the hostile report some stand on a later page: without them nothing would be shown of that.
    say(`a filter finds what is shown on any page: ${section}`, found === all && (kind !== 'hostile' || all > first),
      `${found} of ${all}, ${first} of them on the first page`, [said]);
    await list.locator('input[type=search]').fill('');
    await page.waitForFunction(([id, shown]) => document.querySelector(`#${id} .tools [role=status]`).textContent !== shown,
      [section, said], { timeout: 5000 }).catch(() => {});
  }
}

export async function diff({ page }, say, kind) {
  await page.evaluate(() => { document.activeElement.blur(); getSelection().removeAllRanges(); });
  // The first pair, and one that the script makes.
  for (const which of ['first page', 'later page']) {
    if (which === 'later page') {
      if (!(await hasPages(page, say, kind, 'diff'))) return;
      await page.locator('#doubtful .tools button', { hasText: 'Last' }).click();
    }
    const isSummary = `document.activeElement.localName === 'summary' && document.activeElement.parentElement.matches('#doubtful .differs')
      && !document.activeElement.parentElement.open`;
    const reached = await tabTo(page, isSummary);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement.parentElement.querySelector('.diff'), undefined, { timeout: 5000 }).catch(() => {});
    const found = await page.evaluate(() => {
      const details = document.activeElement.parentElement;
      if (!details.matches('.differs')) return { open: false, ins: 0, del: 0, heads: ['the focus was lost'] };
      const visible = (name) => [...details.querySelectorAll(name)].filter((node) => node.checkVisibility() && node.textContent).length;
      const style = (name) => { const node = details.querySelector(name); return node && getComputedStyle(node).textDecorationLine; };
      return { open: details.open, ins: visible('ins'), del: visible('del'), insStyle: style('ins'), delStyle: style('del'),
        heads: [...details.querySelectorAll('thead th')].map((th) => th.scope) };
    });
    // A page may only have been added to: one of the two marks is enough, and colour is never the only mark.
    const marked = found.ins + found.del > 0 && (found.ins === 0 || found.insStyle === 'underline') && (found.del === 0 || found.delStyle === 'line-through');
    say(`a diff opens by keyboard and marks what differs: ${which}`, reached && found.open && marked && found.heads.join() === 'col,col',
      `${found.del} removed, ${found.ins} added`, [JSON.stringify(found)]);
  }
  await page.locator('#doubtful .tools button', { hasText: 'First' }).click();
}

export async function labels({ page }, say) {
  const pairs = await page.locator('.pair').evaluateAll((all) => all.slice(0, 2).map((pair) => [pair.dataset.left, pair.dataset.right]));
  await page.locator('#doubtful h2').evaluate((node) => { node.tabIndex = -1; node.focus(); });
  const on = (text) => `document.activeElement.textContent === ${JSON.stringify(text)} && document.activeElement.getAttribute('aria-pressed') === 'false'`;
  await tabTo(page, on('Same'));
  await page.keyboard.press('Enter');
  await tabTo(page, on('Same'));
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  const said = await page.locator('#label-count').textContent();
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#download').press('Enter')]);
  const lines = readFileSync(await download.path(), 'utf8');
  const wanted = `${pairs[0].join('\t')}\tduplicate\n${pairs[1].join('\t')}\tdifferent\n`;
  say('labels are downloaded as they were given', lines === wanted && said === '2 pairs are labelled.' && download.suggestedFilename() === 'labels.tsv',
    said, [lines, wanted]);
}

export async function print({ page }, say) {
  const pdf = await page.pdf({ format: 'A4' });
  say('it can be printed', pdf.length > 20_000 && pdf.subarray(0, 5).toString() === '%PDF-', `${Math.round(pdf.length / 1000)} kB of PDF`);
  // What the page does when it is printed, looked at before it is undone.
  const printed = await page.evaluate(() => {
    const closed = () => document.querySelectorAll('details:not([open])').length;
    const before = closed();
    dispatchEvent(new Event('beforeprint'));
    const during = closed();
    const diffs = [...document.querySelectorAll('.differs')];
    const shown = diffs.filter((details) => details.querySelector('.diff td')?.checkVisibility()).length;
    dispatchEvent(new Event('afterprint'));
    return { before, during, after: closed(), diffs: diffs.length, shown };
  });
  say('on paper everything is open, and closed again after it', printed.before > 0 && printed.during === 0
    && printed.after === printed.before && printed.diffs > 0 && printed.shown === printed.diffs,
  `${printed.shown} of ${printed.diffs} diffs shown`, [JSON.stringify(printed)]);
}

export async function withoutScript({ page, complaints, requests, address }, say) {
  const pairs = await page.locator('.pair').count();
  const clusters = await page.locator('#clusters .card').count();
  const rows = await page.locator('tbody[data-items] tr').count();
  const hidden = await page.locator('.js-only:visible').count();
  const tools = await page.locator('.tools').count();
  say('without JavaScript the first rows are there', pairs > 0 && clusters > 0 && rows > 0 && hidden === 0 && tools === 0,
    `${pairs} pairs, ${clusters} clusters, ${rows} rows`, [`${hidden} things for scripts only`]);
  const isOpen = await page.locator('#doubtful .differs').first().evaluate((details) => details.open);
  say('the first diff is open', isOpen);
  const marks = page.locator('#doubtful .differs').nth(1);
  await marks.locator('summary').press('Enter');
  say('without JavaScript a diff can be opened', (await marks.locator('ins:visible, del:visible').count()) > 0, '');
  const others = [...complaints, ...requests.filter((url) => url !== address)];
  say('without JavaScript it is quiet', others.length === 0, others.length, others);
}

export async function narrow({ page }, say) {
  const { wide, window: width } = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth, window: innerWidth }));
  say('on a telephone nothing but tables and charts scrolls sideways', wide <= width, `${wide} of ${width} pixels`);
  // A word of the page, and of a text that it shows, has one line. URLs and very long words may break.
  const broken = await page.evaluate(() => {
    const found = [];
    document.querySelectorAll('details').forEach((details) => { details.open = true; });
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (!node.parentElement.checkVisibility() || node.parentElement.closest('a, code, script, svg, .u')) continue;
      for (const word of node.data.matchAll(/[\p{Script=Latin}]{2,24}/gu)) {
        const [before, after] = [node.data[word.index - 1], node.data[word.index + word[0].length]];
        if ([before, after].some((next) => next && !/[\s.,;:()]/.test(next))) continue;
        const range = document.createRange();
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        const lines = new Set([...range.getClientRects()].filter((rect) => rect.width > 0).map((rect) => Math.round(rect.top)));
        if (lines.size > 1) found.push(`${word[0]} in <${node.parentElement.localName}> of ${node.data.trim().slice(0, 60)}`);
      }
    }
    return found;
  });
  say('on a telephone no word is broken', broken.length === 0, `${broken.length} words`, broken.slice(0, 10));
}

// Links open the pages of the crawl, tell them nothing, and run nothing.
export async function links({ page }, say, kind) {
  const found = await page.locator('main a, header a').evaluateAll((all) => all.map((node) => ({
    href: node.getAttribute('href'), rel: node.rel, shown: node.textContent,
  })).filter(({ href }) => !href.startsWith('#')));
  const bad = found.filter(({ href, rel }) => !/^https?:\/\/[!-~]+$/.test(href) || rel !== 'noopener noreferrer');
  // The hostile site redirects nobody.
  const wanted = ['header', '#doubtful .pair', '#clusters .duplicates', '#failures', ...(kind === 'demo' ? ['#redirects'] : [])];
  const places = await page.evaluate((all) => all.filter((place) => !document.querySelector(`${place} a[href^=http]`)), wanted);
  say('URLs are links that open only the web', found.length > 0 && bad.length === 0, `${found.length} links`, bad.map((link) => JSON.stringify(link)));
  say('seeds, pairs, clusters and tables have links', places.length === 0, '', places);
}
