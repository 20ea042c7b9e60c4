import { useEffect, useRef, useState } from 'react';
import Body from '../Body.jsx';
import Links from '../Links.jsx';
import usePage from '../usePage.js';

const BATCH = 6;

/** Shows more whenever the end of the list comes into view. */
export default function Archive() {
  const page = usePage();
  const [shown, setShown] = useState(BATCH);
  const end = useRef(null);
  useEffect(() => {
    if (!end.current) return undefined;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry.isIntersecting) setTimeout(() => setShown(count => count + BATCH), 150);
    });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [page, shown]);
  if (!page) return <Body page={page} />;
  return (
    <Body page={page}>
      <div className="tall"><Links links={page.links.slice(0, shown)} isListing /></div>
      {shown < page.links.length && <div ref={end} className="skeleton" />}
    </Body>
  );
}
