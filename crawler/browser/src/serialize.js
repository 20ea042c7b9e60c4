((asked, limit) => {
  const root = document.documentElement;
  if (!root) return { html: '' };
  // Scripts have run, so what is meant for browsers without scripts is not part of the page.
  for (const one of document.querySelectorAll('noscript')) one.remove();
  if (document.baseURI !== asked && !document.querySelector('base[href]') && document.head) {
    const base = document.createElement('base');
    base.href = document.baseURI;
    document.head.prepend(base);
  }
  const hasShadow = [...document.querySelectorAll('*')].some(one => one.shadowRoot);
  let html;
  if (!hasShadow) {
    html = root.outerHTML;
  } else {
    // The tree as it is displayed: the shadow tree in the place of its host's children, and what is assigned to a slot in the slot.
    const empty = new Set(['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'track', 'wbr']);
    const raw = new Set(['script', 'style', 'xmp', 'iframe', 'noembed', 'noframes', 'plaintext']);
    const parts = [];
    let length = 0;
    const put = part => { parts.push(part); length += part.length; };
    const escaped = text => text.replace(/&/g, '&amp;').replace(/\u00a0/g, '&nbsp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
    const children = one => {
      if (one.shadowRoot) return one.shadowRoot.childNodes;
      if (one.localName === 'slot' && one.getRootNode() instanceof ShadowRoot) {
        const assigned = one.assignedNodes();
        if (assigned.length) return assigned;
      }
      return one.localName === 'template' && one.content ? one.content.childNodes : one.childNodes;
    };
    const work = [root];
    while (work.length && length <= limit) {
      const next = work.pop();
      if (typeof next === 'string') { put(next); continue; }
      if (next.nodeType === Node.TEXT_NODE) {
        const parent = next.parentNode && next.parentNode.localName;
        put(raw.has(parent) ? next.data : escaped(next.data));
        continue;
      }
      if (next.nodeType !== Node.ELEMENT_NODE) continue;
      const attributes = [...next.attributes].map(one => ` ${one.name}="${escaped(one.value).replace(/"/g, '&quot;')}"`);
      put(`<${next.localName}${attributes.join('')}>`);
      if (empty.has(next.localName)) continue;
      work.push(`</${next.localName}>`);
      const inside = children(next);
      for (let i = inside.length - 1; i >= 0; i--) work.push(inside[i]);
    }
    html = parts.join('');
  }
  const url = location.href;
  return html.length > limit ? { length: html.length, url } : { html: '<!DOCTYPE html>\n' + html, url };
})
