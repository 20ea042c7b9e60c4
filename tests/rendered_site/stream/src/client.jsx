import { hydrateRoot } from 'react-dom/client';
import Page from './Page.jsx';

const { pathname } = location;
const script = new URL(import.meta.url).pathname;
const name = pathname.slice('/stream/'.length) || 'index';
const rest = fetch(`/stream/data/${name}.json`).then(answer => answer.json());
rest.then(page => hydrateRoot(document, <Page title={page.title} rest={rest} script={script} />));
