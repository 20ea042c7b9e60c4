const pages = import.meta.glob('$content/guide/*.json', { import: 'default' });
const numbers = Object.keys(pages).map(path => path.match(/(\d+)\.json$/)[1]);

export const ssr = true;
export const prerender = true;
export const entries = () => numbers.map(number => ({ number }));

export async function load({ params }) {
  const path = Object.keys(pages).find(one => one.endsWith(`/${params.number}.json`));
  return { page: await pages[path]() };
}
