import { useEffect, useState } from 'react';
import { useLocation } from 'react-router';

/** The data of the present route; `null` while it loads. */
export default function usePage() {
  const { pathname } = useLocation();
  const [page, setPage] = useState(null);
  useEffect(() => {
    const aborted = new AbortController();
    fetch(`/react/data${pathname === '/' ? '/index' : pathname}.json`, { signal: aborted.signal })
      .then(answer => answer.json())
      .then(setPage)
      .catch(error => error.name === 'AbortError' || console.error(error));
    return () => aborted.abort();
  }, [pathname]);
  useEffect(() => {
    if (!page) return undefined;
    document.title = page.title;
    const added = [];
    const add = (name, attributes) => {
      const element = Object.assign(document.createElement(name), attributes);
      document.head.append(element);
      added.push(element);
    };
    if (page.robots) add('meta', { name: 'robots', content: page.robots });
    if (page.canonical) add('link', { rel: 'canonical', href: new URL(page.canonical, location.href).href });
    return () => added.forEach(element => element.remove());
  }, [page]);
  return page;
}
