// Draws the page that the address names.
(async () => {
  const name = location.pathname.replace(/^\/app\//, '') || 'screen';
  const answer = await fetch(`/app/data/${name}.json`);
  const page = await answer.json();
  const element = (tag, text) => {
    const made = document.createElement(tag);
    made.textContent = text;
    return made;
  };
  const article = document.createElement('article');
  article.append(element('h1', page.title));
  if (page.byline) article.append(element('p', page.byline));
  article.append(...page.paragraphs.map(text => element('p', text)));
  if (page.links.length) {
    const list = document.createElement('ul');
    for (const [path, label] of page.links) {
      const link = element('a', label);
      link.href = path;
      const item = document.createElement('li');
      item.append(link);
      list.append(item);
    }
    article.append(list);
  }
  const main = document.createElement('main');
  main.append(article);
  document.title = page.title;
  document.getElementById('app').replaceChildren(main);
})();
