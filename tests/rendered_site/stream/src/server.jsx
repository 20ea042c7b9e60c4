// node server.js CONTENT: serves the pages in the JSON file, each in pieces, at a free port of 127.0.0.1, which it prints.
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { renderToPipeableStream } from 'react-dom/server';
import Page from './Page.jsx';

const pages = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const manifest = JSON.parse(readFileSync(new URL('../client/.vite/manifest.json', import.meta.url), 'utf8'));
const script = `/stream/${manifest['src/client.jsx'].file}`;

const server = createServer((request, answer) => {
  const page = pages[request.url];
  if (!page) {
    answer.writeHead(404, { 'content-type': 'text/plain' }).end('Not found');
    return;
  }
  const rest = new Promise(resolve => setTimeout(() => resolve(page), page.delay));
  const { pipe } = renderToPipeableStream(<Page title={page.title} rest={rest} script={script} />, {
    onShellReady() {
      answer.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      pipe(answer);
    },
    onError: console.error,
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
// The script that has started the server ends it by closing this pipe.
process.stdin.on('end', () => process.exit(0)).resume();
