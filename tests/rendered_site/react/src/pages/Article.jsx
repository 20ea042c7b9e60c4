import Body from '../Body.jsx';
import Links from '../Links.jsx';
import usePage from '../usePage.js';

export default function Article() {
  const page = usePage();
  return <Body page={page}>{page && <Links links={page.links} isListing={page.listing} />}</Body>;
}
