import { error } from '@sveltejs/kit';
import { base } from '$app/paths';

/** Fetches the data of a page. */
export default async ({ fetch, url }) => {
  const path = url.pathname.slice(base.length);
  const answer = await fetch(`${base}/data${path.length > 1 ? path : '/index'}.json`);
  if (!answer.ok) error(404, 'There is no such page');
  return { page: await answer.json() };
};
