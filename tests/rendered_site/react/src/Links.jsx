import { Link } from 'react-router';

/** Links within the area go through the router. */
export default function Links({ links, isListing }) {
  const items = <ul>{links.map(({ to, label }) => <li key={to}><Link to={to.replace(/^\/react/, '')}>{label}</Link></li>)}</ul>;
  return isListing ? items : <nav aria-label="Related">{items}</nav>;
}
