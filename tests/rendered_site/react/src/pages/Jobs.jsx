import { useState } from 'react';
import { useNavigate } from 'react-router';
import Body from '../Body.jsx';
import Links from '../Links.jsx';
import usePage from '../usePage.js';

/** The rest of the list appears after a click, and its entries are no links. */
export default function Jobs() {
  const page = usePage();
  const navigate = useNavigate();
  const [isAll, setAll] = useState(false);
  if (!page) return <Body page={page} />;
  const rest = page.clicked.map(({ to, label }) => <li key={to} onClick={() => navigate(to.replace(/^\/react/, ''))}>{label}</li>);
  return (
    <Body page={page}>
      <Links links={page.links} isListing />
      {isAll ? <ul>{rest}</ul> : <button onClick={() => setAll(true)}>Load more</button>}
    </Body>
  );
}
