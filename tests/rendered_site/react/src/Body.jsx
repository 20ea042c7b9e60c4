/** Title and paragraphs, or grey boxes while they load. */
export default function Body({ page, children }) {
  if (!page) return <main aria-busy="true"><div className="skeleton" /><div className="skeleton" /><p>Loading…</p></main>;
  return (
    <main>
      <article>
        <h1>{page.title}</h1>
        {page.paragraphs.map(text => <p key={text}>{text}</p>)}
      </article>
      {children}
    </main>
  );
}
