// Goes through the views of `crawler serve` and prints one JSON object a check: {name, passed, figure, details}.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Browser, tabTo } from './session.mjs';

const { values: options } = parseArgs({
  options: {
    modules: { type: 'string' }, chromium: { type: 'string' }, address: { type: 'string' }, tune: { type: 'string' },
    profile: { type: 'string' }, pictures: { type: 'string' },
  },
});
const say = (name, passed, figure = '', details = []) => {
  console.log(JSON.stringify({ name, passed: Boolean(passed), figure: String(figure), details: details.map(String) }));
};
const VIEWS = { Overview: '', Pages: 'pages', Duplicates: 'duplicates', Clusters: 'duplicates/clusters', Tune: 'tune', Check: 'check' };
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
  const found = { ...VIEWS };
  if (pairs.rows.length) found.Pair = `duplicates/pair?kept=${pairs.rows[0].kept_id}&other=${pairs.rows[0].other_id}`;
  if (pages.rows.length) {
    found.Page = 'page?' + new URLSearchParams({ url: pages.rows[0].url });
    found.Cluster = 'duplicates/cluster?id=' + pages.rows[0].cluster;
  }
  return found;
}

async function accessible({ page, axe }, what) {
  await page.evaluate(`${axe}; undefined`).catch(() => page.addScriptTag({ content: axe }));
  const violations = await page.evaluate(async () => (await window.axe.run(document)).violations
    .map(({ id, impact, nodes }) => ({ id, impact, node: nodes[0].html.slice(0, 160), why: nodes[0].failureSummary })));
  say(`${what}: axe-core finds nothing`, violations.length === 0, `${violations.length} findings`, violations.map((found) => JSON.stringify(found)));
}

async function textOnly({ page }, what) {
  const bad = await page.evaluate(() => [
    ...[...document.querySelectorAll('img, iframe, object, embed, base, svg [onload], main link, main script:not([type="application/json"])')],
    ...[...document.querySelectorAll('*')].filter((node) => [...node.attributes].some(({ name }) => name.startsWith('on'))),
  ].map((node) => node.outerHTML.slice(0, 80)));
  const turning = await page.evaluate(() => /[\u202a-\u202e\u2066-\u2069\u200e\u200f]/.test(document.body.innerText));
  say(`${what}: nothing from the web is markup`, bad.length === 0 && !turning, bad.length, bad);
}

async function everyView(visit, scheme) {
  const views = await paths(visit.page);
  for (const [name, path] of Object.entries(views)) {
    await open(visit.page, path);
    const heads = await visit.page.evaluate(() => [document.querySelectorAll('h1').length, document.querySelectorAll('main, nav').length]);
    say(`${scheme}, ${name}: landmarks and one heading`, heads[0] === 1 && heads[1] >= 2, heads.join());
    await accessible(visit, `${scheme}, ${name}`);
    if (scheme === 'light') await textOnly(visit, name);
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
  for (const name of ['Pages', 'Duplicates', 'Tune', 'Check', 'Overview']) {
    const on = `document.activeElement.closest('nav') && document.activeElement.textContent === ${JSON.stringify(name)}`;
    if (!(await tabTo(page, on, 30))) break;
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    const current = await page.locator('nav [aria-current=page]').first().textContent();
    if (current === name) reached.push(name);
  }
  say('the menu leads to every view by keyboard', reached.length === 5, reached.join());
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
  const summary = await page.locator('.lead').textContent();
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

async function narrow({ page }) {
  const wide = [];
  for (const [name, path] of Object.entries(await paths(page))) {
    await open(page, path);
    const size = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    if (size[0] > size[1]) wide.push(`${name}: ${size.join(' of ')}`);
  }
  say('at 360 pixels no view scrolls sideways', wide.length === 0, '', wide);
}

const browser = new Browser(options);
for (const scheme of ['light', 'dark']) {
  await browser.visit({ scheme }, async (visit) => {
    await everyView(visit, scheme);
    if (scheme === 'light') {
      for (const part of [menu, search, labels, sliders, check]) await part(visit);
    }
    quiet(visit, scheme);
  });
}
await browser.visit({ scheme: 'light', width: 360, height: 740 }, narrow);
if (options.pictures) {
  for (const [name, scheme] of [['Pair', 'light'], ['Tune', 'dark']]) {
    await browser.visit({ scheme, width: 1000, height: 760 }, async ({ page }) => {
      await open(page, (await paths(page))[name]);
      const path = join(options.pictures, `serve-${name.toLowerCase()}.png`);
      await page.screenshot({ path });
      say(`picture ${name}`, true, path);
    });
  }
}
