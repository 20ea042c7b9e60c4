import Body from '../Body.jsx';
import usePage from '../usePage.js';

export default function Account() {
  const page = usePage();
  const token = localStorage.getItem('token');
  return <Body page={page}>{token && <button>Sign out</button>}</Body>;
}
