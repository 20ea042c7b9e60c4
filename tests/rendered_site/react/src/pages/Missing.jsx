import { useEffect } from 'react';

export default function Missing() {
  useEffect(() => { document.title = 'Page not found'; }, []);
  return <main><h1>Page not found</h1><p>The page that you are looking for does not exist.</p></main>;
}
