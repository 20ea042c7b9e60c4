() => {
  // In the isolated world: the page does not see it.
  globalThis.crawlerDrawn = false;
  requestAnimationFrame(() => requestAnimationFrame(() => { globalThis.crawlerDrawn = true; }));
}
