import { useEffect, useState } from 'react';
import { Link, Outlet } from 'react-router';

function Consent() {
  const [isAsked, setAsked] = useState(false);
  useEffect(() => {
    let known = null;
    try { known = localStorage.getItem('consent'); } catch { /* no storage */ }
    const timer = setTimeout(() => setAsked(!known), 300);
    return () => clearTimeout(timer);
  }, []);
  if (!isAsked) return null;
  const answer = value => { localStorage.setItem('consent', value); setAsked(false); };
  return (
    <div className="consent" role="dialog" aria-label="Cookies">
      <p>We and our 812 partners store cookies on your device to measure our audience. Do you agree?</p>
      <button onClick={() => answer('yes')}>Accept all</button> <button onClick={() => answer('no')}>Reject all</button>
    </div>
  );
}

export default function Layout() {
  return (
    <>
      <header><nav><Link to="/">React area</Link> <Link to="/archive">Archive</Link> <Link to="/jobs">Jobs</Link> <a href="/private/report">For staff</a></nav></header>
      <Outlet />
      <footer><small>All rights reserved</small></footer>
      <Consent />
    </>
  );
}
