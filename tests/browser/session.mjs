// Pages of a browser that is like new each time, and all that they say and ask for.
import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const FLAGS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
];

export class Browser {
  constructor({ modules, chromium, report, address, profile }) {
    const require = createRequire(join(modules, 'package.json'));
    this.chromium = require('playwright-core').chromium;
    this.axe = require('axe-core').source;
    this.executablePath = chromium;
    this.address = address ?? pathToFileURL(report).href;
    this.profile = profile;
  }

  // Opens the report in a profile of its own, and closes it after `look`.
  async visit({ scheme, width = 1280, height = 900, ...others }, look) {
    const context = await this.chromium.launchPersistentContext(mkdtempSync(`${this.profile}-`), {
      executablePath: this.executablePath, args: FLAGS, colorScheme: scheme, viewport: { width, height },
      acceptDownloads: true, ...others,
    });
    const visit = { context, axe: this.axe, address: this.address, requests: [], complaints: [], dialogs: [] };
    context.on('request', (request) => visit.requests.push(request.url()));
    context.on('weberror', (error) => visit.complaints.push(error.error().message));
    visit.page = await context.newPage();
    visit.page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) visit.complaints.push(message.text());
    });
    visit.page.on('dialog', (dialog) => {
      visit.dialogs.push(dialog.message());
      dialog.dismiss();
    });
    try {
      const began = performance.now();
      await visit.page.goto(this.address);
      visit.milliseconds = Math.round(performance.now() - began);
      await look(visit);
    } finally {
      await context.close();
    }
  }
}

// Presses Tab until `wanted` holds of what has the focus; whether it ever did.
export async function tabTo(page, wanted, limit = 600) {
  for (let presses = 0; presses < limit; presses += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(wanted)) return true;
  }
  return false;
}
