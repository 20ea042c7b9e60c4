// Opens a report in Chromium and prints one JSON object a check: {name, passed, figure, details}.
import { parseArgs } from 'node:util';
import * as checks from './checks.mjs';
import { pictures } from './pictures.mjs';
import { Browser } from './session.mjs';

const { values: options } = parseArgs({
  options: {
    modules: { type: 'string' }, chromium: { type: 'string' }, report: { type: 'string' }, kind: { type: 'string' },
    profile: { type: 'string' }, pictures: { type: 'string' },
  },
});

const say = (name, passed, figure = '', details = []) => {
  console.log(JSON.stringify({ name, passed: Boolean(passed), figure: String(figure), details: details.map(String) }));
};

const browser = new Browser(options);
for (const scheme of ['light', 'dark']) {
  await browser.visit({ scheme }, async (visit) => {
    await checks.sections(visit, say, scheme);
    await checks.accessible(visit, say, scheme);
    if (scheme === 'light') {
      await checks.textOnly(visit, say, options.kind);
      await checks.links(visit, say, options.kind);
      await checks.paging(visit, say);
      await checks.filter(visit, say, options.kind);
      await checks.filterByWhatIsShown(visit, say, options.kind);
      await checks.diff(visit, say, options.kind);
      await checks.labels(visit, say);
      await checks.accessible(visit, say, 'used');
      await checks.print(visit, say);
    }
    await checks.quiet(visit, say, scheme);
    if (scheme === 'light') await checks.closed(visit, say);
  });
}
await browser.visit({ scheme: 'light', javaScriptEnabled: false }, (visit) => checks.withoutScript(visit, say));
await browser.visit({ scheme: 'light', width: 360, height: 740 }, (visit) => checks.narrow(visit, say));
if (options.pictures) await pictures(browser, options.pictures, say);
