import { Suspense, use } from 'react';

function Rest({ rest }) {
  const page = use(rest);
  const links = <ul>{page.links.map(({ to, label }) => <li key={to}><a href={to}>{label}</a></li>)}</ul>;
  return (
    <>
      <article>
        <h1>{page.title}</h1>
        {page.paragraphs.map(text => <p key={text}>{text}</p>)}
      </article>
      {page.listing ? links : <nav aria-label="Related">{links}</nav>}
    </>
  );
}

/** The frame at once; the text when the promise `rest` has it. */
export default function Page({ title, rest, script }) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <title>{title}</title>
      </head>
      <body>
        <header><nav><a href="/stream/">Reports</a></nav></header>
        <main>
          <Suspense fallback={<p>Loading the report…</p>}><Rest rest={rest} /></Suspense>
        </main>
        <footer><small>All rights reserved</small></footer>
        <script type="module" src={script} async />
      </body>
    </html>
  );
}
