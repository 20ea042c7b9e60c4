// Goes through the views of `crawler serve` and prints one JSON object a check: {name, passed, figure, details}.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Browser, tabTo } from './session.mjs';

const { values: options } = parseArgs({
  options: {
    modules: { type: 'string' }, chromium: { type: 'string' }, address: { type: 'string' }, tune: { type: 'string' },
    profile: { type: 'string' }, pictures: { type: 'string' }, widths: { type: 'string' }, running: { type: 'string' },
  },
});
const say = (name, passed, figure = '', details = []) => {
  console.log(JSON.stringify({ name, passed: Boolean(passed), figure: String(figure), details: details.map(String) }));
};
const VIEWS = { Overview: '', Control: 'control', Pages: 'pages', Hosts: 'hosts', Duplicates: 'duplicates', Clusters: 'duplicates/clusters', Tune: 'tune', Check: 'check' };
// A telephone, a narrow window, one with the rail, and one that is wider than the content.
const SIZES = [[360, 740], [800, 900], [1280, 900], [1920, 1080]];
const at = (path) => options.address + path;
const isReady = () => !document.querySelector('#result') || !document.querySelector('#result').hidden;
const open = async (page, path) => {
  await page.goto(at(path));
  await page.waitForFunction(isReady, undefined, { timeout: 60_000 });
};
const api = (page, path) => page.evaluate(async (url) => (await fetch(url)).json(), at(path));
const focused = (selector) => `document.activeElement.matches(${JSON.stringify(selector)})`;

// A pair and a page, beside the views of the menu.
async function paths(page) {
  const pairs = await api(page, 'api/pairs');
  const pages = await api(page, 'api/pages?verdict=near');
  const failed = await api(page, 'api/pages?outcome=failed');
  const found = { ...VIEWS };
  if (pairs.rows.length) found.Pair = `duplicates/pair?kept=${pairs.rows[0].kept_id}&other=${pairs.rows[0].other_id}`;
  if (pages.rows.length) {
    found.Page = 'page?' + new URLSearchParams({ url: pages.rows[0].url });
    found.Cluster = 'duplicates/cluster?id=' + pages.rows[0].cluster;
  }
  if (failed.rows.length) found.Failed = 'page?' + new URLSearchParams({ url: failed.rows[0].url });
  return found;
}

// What does not fit: parts that are wider than their box, text that an edge cuts, letters beside a drawing.
async function misfits(page) {
  return page.evaluate(() => {
    const found = [];
    const say = (node, why) => found.push(`<${node.localName} class="${node.getAttribute('class') || ''}"> ${why}: ${node.textContent.trim().slice(0, 60)}`);
    const all = document.documentElement;
    if (all.scrollWidth > innerWidth) found.push(`the page is ${all.scrollWidth} px wide in a window of ${innerWidth}`);
    for (const node of document.body.querySelectorAll('*')) {
      if (!node.checkVisibility() || node.matches('.skip, input, select, option, textarea, datalist')) continue;
      if (node.namespaceURI === 'http://www.w3.org/2000/svg') {
        if (node.localName !== 'text') continue;
        const [box, edge] = [node.getBoundingClientRect(), node.ownerSVGElement.getBoundingClientRect()];
        if (box.left < edge.left - 1 || box.right > edge.right + 1 || box.top < edge.top - 2 || box.bottom > edge.bottom + 2) say(node, 'leaves its drawing');
        continue;
      }
      const style = getComputedStyle(node);
      if (style.display === 'inline' || node.clientWidth === 0) continue;
      if (node.scrollWidth > node.clientWidth + 1) say(node, `is ${node.scrollWidth} px wide in ${node.clientWidth}`);
      const cuts = ['hidden', 'clip'].includes(style.overflowY) && node.scrollHeight > node.clientHeight + 1;
      if (cuts || style.textOverflow === 'ellipsis') say(node, 'is cut');
    }
    return found;
  });
}

// Every view in one window.
async function fits(visit, what) {
  const wrong = [];
  const violations = [];
  for (const [name, path] of Object.entries(await paths(visit.page))) {
    await open(visit.page, path);
    wrong.push(...(await misfits(visit.page)).map((why) => `${name}: ${why}`));
    await axeFinds(visit).then((found) => violations.push(...found.map((one) => `${name}: ${JSON.stringify(one)}`)));
    if (options.widths) await visit.page.screenshot({ path: join(options.widths, `${name.toLowerCase()}-${what.replace(/\W+/g, '-')}.png`), fullPage: true });
  }
  say(`${what}: no part is wider than its box, and nothing is cut`, wrong.length === 0, `${wrong.length} parts`, wrong.slice(0, 10));
  say(`${what}: axe-core finds nothing`, violations.length === 0, `${violations.length} findings`, violations.slice(0, 10));
}

async function axeFinds({ page, axe }) {
  await page.evaluate(`${axe}; undefined`).catch(() => page.addScriptTag({ content: axe }));
  return page.evaluate(async () => (await window.axe.run(document)).violations
    .map(({ id, impact, nodes }) => ({ id, impact, node: nodes[0].html.slice(0, 160), why: nodes[0].failureSummary })));
}

async function textOnly({ page }, what) {
  const bad = await page.evaluate(() => [
    ...[...document.querySelectorAll('img, iframe, object, embed, base, svg [onload], main link, main script:not([type="application/json"])')],
    ...[...document.querySelectorAll('*')].filter((node) => [...node.attributes].some(({ name }) => name.startsWith('on'))),
  ].map((node) => node.outerHTML.slice(0, 80)));
  const turning = await page.evaluate(() => /[\u202a-\u202e\u2066-\u2069\u200e\u200f]/.test(document.body.innerText));
  say(`${what}: nothing from the web is markup`, bad.length === 0 && !turning, bad.length, bad);
}

async function everyView(visit) {
  const views = await paths(visit.page);
  for (const [name, path] of Object.entries(views)) {
    await open(visit.page, path);
    const heads = await visit.page.evaluate(() => [document.querySelectorAll('h1').length, document.querySelectorAll('main, nav').length]);
    say(`${name}: landmarks and one heading`, heads[0] === 1 && heads[1] >= 2, heads.join());
    await textOnly(visit, name);
  }
}

function quiet({ requests, complaints, dialogs }, what) {
  const others = requests.filter((url) => !url.startsWith(options.address));
  say(`${what}: no request to another server`, others.length === 0, `${requests.length} requests`, others);
  say(`${what}: no console error, no violation of the policy, no dialog`, complaints.length + dialogs.length === 0, complaints.length, [...complaints, ...dialogs]);
}

async function menu({ page }) {
  const reached = [];
  await open(page, '');
  for (const name of ['Control', 'Pages', 'Hosts', 'Duplicates', 'Tune', 'Check', 'Overview']) {
    const on = `document.activeElement.closest('nav') && document.activeElement.textContent === ${JSON.stringify(name)}`;
    if (!(await tabTo(page, on, 30))) break;
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    const current = await page.locator('.rail [aria-current=page]').first().textContent();
    if (current === name) reached.push(name);
  }
  say('the menu leads to every view by keyboard', reached.length === 7, reached.join());
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  say('the first stop skips to the content', await page.evaluate(() => document.activeElement.id === 'main' || location.hash === '#main'));
}

async function search({ page }) {
  await open(page, 'pages');
  const all = await api(page, 'api/pages');
  const wanted = all.rows.find((row) => row.url.length > 30) ?? all.rows[0];
  await tabTo(page, focused('input[name=q]'), 30);
  await page.keyboard.type(wanted.url);
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
  await tabTo(page, focused('tbody a'), 40);
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
  const answer = await api(page, 'api/explain?' + new URLSearchParams({ url: wanted.url }));
  const summary = await page.locator('.lead .said').textContent();
  // The page names the kept page by its title.
  const of = answer.compared_with;
  answer.summary = of ? answer.summary.replace(of.url, of.title || of.url) : answer.summary;
  say('a page is found and explained by keyboard', summary.startsWith(answer.summary.slice(0, 100)), wanted.url, [summary, answer.summary]);
}

async function labels({ page }) {
  await open(page, 'duplicates');
  const before = (await api(page, 'api/labels')).count;
  const pairs = (await api(page, 'api/pairs')).rows;
  if (pairs.length < 2) { say('there are two doubtful pairs to label', false, pairs.length); return; }
  await tabTo(page, focused('a.go'), 30);
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
  const saved = () => page.waitForFunction(() => document.getElementById('said').textContent.includes('saved'), undefined, { timeout: 10_000 });
  await page.keyboard.press('s');
  await saved();
  await Promise.all([page.waitForNavigation(), page.keyboard.press('j')]);
  await page.keyboard.press('d');
  await saved();
  const pressed = await page.locator('button[aria-pressed=true]').textContent();
  await Promise.all([page.waitForNavigation(), page.keyboard.press('k')]);
  const shown = await page.locator('#said').textContent();
  const got = await api(page, 'api/labels');
  const of = (pair) => got.labels.find(({ a, b }) => [a, b].includes(pair.kept) && [a, b].includes(pair.other))?.label;
  say('keys label pairs and go on', got.count === before + 2 && of(pairs[0]) === 'duplicate' && of(pairs[1]) === 'different'
    && pressed === 'Different' && shown.includes('same'), `${got.count} labels`, [JSON.stringify(got.labels), pressed, shown]);
  await tabTo(page, focused('#keys'), 40);
  await page.keyboard.press('Space');
  await page.keyboard.press('d');
  say('the keys can be switched off', (await page.locator('#said').textContent()).includes('same'));
  for (const pair of pairs.slice(0, 2)) {
    await open(page, `duplicates/pair?kept=${pair.kept_id}&other=${pair.other_id}`);
    await page.locator('button[data-label=withdrawn]').press('Enter');
    await page.waitForFunction(() => document.getElementById('said').textContent.includes('withdrawn'), undefined, { timeout: 10_000 });
  }
  say('labels can be withdrawn', (await api(page, 'api/labels')).count === before);
}

async function sliders({ page }) {
  const tuned = JSON.parse(readFileSync(options.tune, 'utf8'));
  await open(page, 'tune');
  const steps = await page.evaluate(() => ['distance', 'similarity'].map((id) => Number(document.getElementById(id).max)));
  const wrong = [];
  let seen = 0, slowest = 0;
  await page.locator('#distance').focus();
  await page.keyboard.press('Home');
  for (let bits = 0; bits <= steps[0]; bits += 1) {
    await page.locator('#similarity').focus();
    await page.keyboard.press('Home');
    for (let least = 0; least <= steps[1]; least += 1) {
      const shown = await page.evaluate(() => {
        const text = (id) => document.getElementById(id).textContent;
        return { bits: Number(text('distance-value').split(' ')[0]), least: Number(text('similarity-value')), dropped: text('dropped').replaceAll(',', ''),
          precision: text('precision'), recall: text('recall') };
      });
      const setting = tuned.settings.find((one) => one.confirm === 'sketch' && one.max_distance === shown.bits && one.min_similarity === shown.least);
      const percent = (share) => share ? (share.estimate * 100).toFixed(1) + ' %' : '–';
      const agrees = setting && Number(shown.dropped) === setting.dropped && shown.precision === percent(setting.precision) && shown.recall === percent(setting.recall);
      if (!agrees) wrong.push(JSON.stringify({ shown, setting }));
      seen += 1;
      const began = performance.now();
      await page.keyboard.press('ArrowRight');
      slowest = Math.max(slowest, performance.now() - began);
    }
    await page.locator('#distance').focus();
    await page.keyboard.press('ArrowRight');
  }
  say('the sliders count as crawler tune does at every position', seen > 90 && wrong.length === 0, `${seen} settings, slowest key ${slowest.toFixed(0)} ms`, wrong.slice(0, 3));
  await page.locator('#distance').press('Home');
  await page.waitForFunction(() => document.getElementById('changes-note').textContent.includes('change'), undefined, { timeout: 10_000 }).catch(() => {});
  const listed = await page.locator('#changes tr').count();
  const note = await page.locator('#changes-note').textContent();
  say('the pages that would change are listed', listed > 0, note);
  await page.locator('#plan').press('Enter');
  await page.waitForFunction(() => !document.getElementById('planned').hidden, undefined, { timeout: 10_000 });
  const lines = await page.locator('#planned-lines').textContent();
  const isFocused = await page.evaluate(() => document.activeElement.id === 'planned');
  await page.locator('#cancel').press('Enter');
  say('the change of config.toml is shown first', lines.includes('+ max_distance = 0') && isFocused, lines.replace(/\n/g, ' '));
}

// Lists: the order by a head, the rows that match while one types, the file.
async function lists({ page }) {
  await open(page, 'pages');
  await Promise.all([page.waitForNavigation(), page.locator('th a.sort', { hasText: 'page' }).press('Enter')]);
  const urls = await page.locator('tbody tr').evaluateAll((rows) => rows.map((row) => (row.querySelector('.note bdi') ?? row.querySelector('bdi')).textContent));
  const way = await page.locator('th[aria-sort]').getAttribute('aria-sort');
  const isSorted = urls.every((url, place) => place === 0 || urls[place - 1] <= url);
  say('a head sorts the list', way === 'ascending' && isSorted && urls.length > 1, `${urls.length} rows`);
  const wanted = (await api(page, 'api/pages')).rows.map((row) => row.url).reduce((a, b) => (b.length > a.length ? b : a));
  await page.locator('input[name=q]').fill(wanted);
  await page.waitForFunction((url) => location.search.includes(encodeURIComponent(url).slice(0, 20)), wanted, { timeout: 10_000 }).catch(() => {});
  const left = await page.locator('tbody tr').evaluateAll((rows) => rows.map((row) => row.textContent));
  say('the list answers while one types', left.length > 0 && left.length < urls.length && left.every((text) => text.includes(wanted)), `${left.length} rows`, left);
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('a.csv').press('Enter')]);
  const lines = readFileSync(await download.path(), 'utf8').trim().split('\r\n');
  say('what is shown is a file of comma-separated values', lines.length === left.length + 1 && lines[1].includes(wanted), `${lines.length} lines`, lines.slice(0, 3));
  await open(page, 'hosts');
  const sorted = await page.evaluate(() => {
    const list = [...document.querySelectorAll('.list')].find((node) => node.querySelectorAll('tbody tr').length > 1 && node.querySelector('button.sort'));
    if (!list) return null;
    list.querySelector('button.sort').click();
    const first = () => [...list.querySelectorAll('tbody th')].map((th) => th.textContent);
    const up = first();
    list.querySelector('button.sort').click();
    const down = first();
    return { up, down, way: list.querySelector('th').getAttribute('aria-sort') };
  });
  say('a list of the report is sorted in the page', sorted && sorted.way === 'descending' && sorted.up[0] === sorted.up.slice().sort((a, b) => a.localeCompare(b))[0], '', [JSON.stringify(sorted)]);
}

// The corner of the cut follows the pointer.
async function dragged({ page }) {
  await open(page, 'tune');
  await page.locator('#plane').scrollIntoViewIfNeeded();
  const before = await page.locator('#summary').textContent();
  const box = await page.locator('#cut-handle').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x - 150, box.y - 20, { steps: 5 });
  await page.mouse.up();
  const [bits, least] = await page.evaluate(() => ['distance-value', 'similarity-value'].map((id) => document.getElementById(id).textContent));
  const hash = await page.evaluate(() => location.hash);
  const after = await page.locator('#summary').textContent();
  say('the cut is dragged on the plane of pairs', hash === `#${bits.split(' ')[0]},${least}` && after !== before, `${bits}, ${least}`, [hash, before, after]);
  const isSeen = await page.evaluate(() => {
    scrollTo(0, 0);
    const { top, bottom } = document.getElementById('plan').getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });
  say('what is done with a setting stays in view', isSeen);
}

async function check({ page }) {
  await open(page, 'check');
  await tabTo(page, focused('#text'), 30);
  await page.keyboard.insertText('Nothing that a page of this crawl says. '.repeat(20));
  await tabTo(page, focused('button[type=submit]'), 30);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => !document.getElementById('answer').hidden, undefined, { timeout: 10_000 }).catch(() => {});
  const heading = await page.locator('#answer-h').textContent();
  const isFocused = await page.evaluate(() => document.activeElement.id === 'answer');
  say('a text is checked by keyboard', heading !== '' && isFocused, heading, [await page.locator('#said').textContent()]);
}

// Orders without a run, which stay for the pictures and widths of the view. Long names must fit, too.
async function control(visit) {
  const { page } = visit;
  const pattern = 'regex:' + 'https://a-very-long-name-of-a-host.example/with/a/long/path/'.repeat(3);
  const press = async (text) => {
    await tabTo(page, `document.activeElement.textContent === ${JSON.stringify(text)}`, 80);
    await page.keyboard.press('Enter');
  };
  const give = async () => {
    await page.waitForFunction(() => document.activeElement.id === 'give', undefined, { timeout: 10_000 });
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => /^(Done|Refused|Waiting|Nothing to do|Not ordered): /.test(document.getElementById('said').textContent), undefined, { timeout: 15_000 });
    return page.locator('#said').textContent();
  };
  await open(page, 'control');
  await press('Start the next run paused …');
  const isAsked = await page.evaluate(() => document.getElementById('ask').open && document.activeElement.id === 'give');
  const wrong = [...await misfits(page), ...(await axeFinds(visit)).map((one) => JSON.stringify(one))];
  await page.keyboard.press('Escape');
  const before = (await api(page, 'api/control')).orders.length;
  say('an order is asked about first, and is not given without a yes', isAsked && before === 0 && wrong.length === 0, `${before} orders`, wrong);
  const said = [];
  await press('Start the next run paused …');
  said.push(await give());
  await page.waitForFunction(() => document.querySelector('.crawl .state').textContent.includes('paused'), undefined, { timeout: 10_000 }).catch(() => {});
  const head = await page.locator('.crawl .state').textContent();
  await tabTo(page, focused('#drop'), 80);
  await page.keyboard.insertText(`shop.example.org\n${pattern}`);
  await press('Drop …');
  said.push(await give());
  await tabTo(page, focused('#host'), 80);
  await page.keyboard.insertText('slow.example.org');
  await tabTo(page, focused('#seconds'), 80);
  await page.keyboard.insertText('2.5');
  await press('Change …');
  said.push(await give());
  const restore = '[aria-label="Restore shop.example.org …"]';
  await page.locator('[aria-label="Back to default for slow.example.org …"]').waitFor();
  await tabTo(page, focused(restore), 80);
  await page.keyboard.press('Enter');
  said.push(await give());
  await page.locator(restore).waitFor({ state: 'detached' });
  const { paused_since: paused, dropped, delays, orders } = await api(page, 'api/control');
  say('orders are given by keyboard, and their answers are shown', paused && head.includes('paused') && dropped.length === 1 && dropped[0].what === pattern
    && delays.length === 1 && delays[0].seconds === 2.5 && orders.length === 4 && said.every((text) => text.startsWith('Waiting: written down')), `${orders.length} orders`, said);
  await press('Start the next run unpaused …');
  say('a pause ends by keyboard', (await give()).startsWith('Waiting') && (await api(page, 'api/control')).paused_since === null);
}

// What the server refuses. Chromium counts each refusal as a fault of the console.
async function refused({ page }) {
  await open(page, 'control');
  await page.locator('#host').fill('slow.example.org');
  await page.locator('#seconds').fill('soon');
  await page.locator('#seconds').press('Enter');
  await page.locator('#give').press('Enter');
  await page.waitForFunction(() => document.getElementById('said').textContent.startsWith('Not ordered: '), undefined, { timeout: 10_000 }).catch(() => {});
  const said = await page.locator('#said').textContent();
  const left = await page.locator('#seconds').inputValue();
  say('a refused order says why, and stays in its form', said.includes('seconds from 0') && left === 'soon', said);
}

// A crawl that runs while one reads: what is new waits for its button, and the button moves nothing that one has set.
async function follows(visit) {
  const { page } = visit;
  await open(page, 'pages?sort=url');
  await page.locator('input[name=q]').fill('127.0.0.1');
  await page.waitForFunction(() => location.search.includes('127.0.0.1'), undefined, { timeout: 10_000 });
  await page.evaluate(() => scrollTo(0, 300));
  const rows = () => page.locator('tbody tr').count();
  const place = () => page.evaluate(() => Math.round([...document.querySelectorAll('[data-held] a[href]')].find((node) => node.getBoundingClientRect().top > 0).getBoundingClientRect().top));
  const [before, top] = [await rows(), await place()];
  await page.waitForFunction(() => !document.getElementById('news').hidden, undefined, { timeout: 30_000 });
  const said = await page.locator('#news').textContent();
  const wrong = [...await misfits(page), ...(await axeFinds(visit)).map((one) => JSON.stringify(one))];
  say('a list waits for its reader, and a line says what is new', (await rows()) === before && (await place()) === top && said.includes('moved on') && wrong.length === 0, said, wrong);
  const name = await page.evaluate(() => document.querySelector('[data-held] a[href]').textContent);
  await page.locator('#news-show').press('Enter');
  await page.waitForFunction(() => document.getElementById('news').hidden, undefined, { timeout: 10_000 });
  const kept = await page.evaluate(() => [document.querySelector('input[name=q]').value, location.search, document.querySelector('th[aria-sort]').getAttribute('aria-sort')]);
  say('new rows keep filter, order and place', kept[0] === '127.0.0.1' && kept[1].includes('sort=url') && kept[2] === 'ascending' && Math.abs((await place()) - top) < 60, kept.join(), [name]);
  await open(page, 'hosts');
  const shown = () => page.locator('[data-part=now]').textContent();
  const first = await shown();
  await page.waitForFunction((text) => document.querySelector('[data-part=now]').textContent !== text, first, { timeout: 30_000 }).catch(() => {});
  say('what each host waits for follows by itself', first.includes('What each host waits for') && (await shown()) !== first, first.slice(0, 120));
}

const browser = new Browser(options);
if (options.running) {
  await browser.visit({ scheme: 'light' }, async (visit) => {
    await follows(visit);
    quiet(visit, 'while a crawl runs');
  });
  for (const scheme of ['light', 'dark']) {
    for (const [width, height] of SIZES) {
      await browser.visit({ scheme, width, height }, async (visit) => {
        for (const [name, address] of [['Hosts', at('hosts')], ['Status page', options.running]]) {
          await visit.page.goto(address);
          const wrong = [...await misfits(visit.page), ...(await axeFinds(visit)).map((one) => JSON.stringify(one))];
          say(`${scheme}, ${width} px: ${name} of a running crawl fits, and axe-core finds nothing`, wrong.length === 0, `${wrong.length} findings`, wrong.slice(0, 10));
          if (options.widths) await visit.page.screenshot({ path: join(options.widths, `running-${name.toLowerCase().replace(' ', '-')}-${scheme}-${width}.png`), fullPage: true });
        }
      });
    }
  }
  if (options.pictures) {
    await browser.visit({ scheme: 'light', width: 1000, height: 760 }, async ({ page }) => {
      await open(page, 'hosts');
      const path = join(options.pictures, 'serve-hosts.png');
      await page.screenshot({ path });
      say('picture Hosts', true, path);
    });
  }
  process.exit(0);
}
await browser.visit({ scheme: 'light' }, async (visit) => {
  for (const part of [everyView, menu, search, lists, labels, sliders, dragged, check, control]) await part(visit);
  quiet(visit, 'light');
});
await browser.visit({ scheme: 'light' }, refused);
for (const scheme of ['light', 'dark']) {
  for (const [width, height] of SIZES) {
    await browser.visit({ scheme, width, height }, async (visit) => {
      await fits(visit, `${scheme}, ${width} px`);
      quiet(visit, `${scheme}, ${width} px`);
    });
  }
}
if (options.pictures) {
  // Tune is in dark colours, so that the book shows them once.
  const shown = ['Overview', 'Pages', 'Page', 'Failed', 'Duplicates', 'Clusters', 'Cluster', 'Pair', 'Tune', 'Check', 'Control'];
  for (const [name, scheme] of shown.map((name) => [name, name === 'Tune' ? 'dark' : 'light'])) {
    await browser.visit({ scheme, width: 1000, height: 760 }, async ({ page }) => {
      await open(page, (await paths(page))[name]);
      const path = join(options.pictures, `serve-${name.toLowerCase()}.png`);
      await page.screenshot({ path });
      say(`picture ${name}`, true, path);
    });
  }
}
