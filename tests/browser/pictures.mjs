// Pictures for people.
import { join } from 'node:path';

export async function pictures(browser, folder, say) {
  const take = (name, look, options) => browser.visit({ scheme: 'light', width: 1000, height: 700, ...options }, async (visit) => {
    await look(visit.page);
    const path = join(folder, `report-${name}.png`);
    await visit.page.screenshot({ path });
    say(`picture ${name}`, true, path);
  });
  const to = (page, selector) => page.locator(selector).first().evaluate((node) => node.scrollIntoView());
  await take('summary', async () => {}, { width: 1100, height: 1200 });
  await take('doubtful', async (page) => {
    await to(page, '.pair:has(.differs[open])');
  });
  await take('clusters', async (page) => {
    const open = page.locator('#clusters details.cluster[open] .differs summary');
    if (await open.count()) await open.first().click();
    await to(page, '#clusters');
  }, { scheme: 'dark' });
  await take('narrow', async () => {}, { width: 390, height: 844 });
}
