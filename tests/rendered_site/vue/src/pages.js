// Each page is a chunk of its own.
const pages = import.meta.glob('../../content/vue/**/*.json', { import: 'default' });

const wait = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));

/** The page of a route, after the delay that it has. */
export async function load(path) {
  const name = path === '/' ? '/index' : path;
  const page = await pages[`../../content/vue${name}.json`]();
  await wait(page.delay);
  document.title = page.title;
  return page;
}
