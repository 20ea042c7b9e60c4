((wanted, ask, tell) => {
  // FNV-1a over texts and the targets of links: cheap, and only ever compared with itself.
  let hash = 0x811c9dc5;
  let length = 0;
  const add = text => {
    length += text.length;
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  };
  add(document.title);
  if (document.body) add(document.body.textContent);
  for (const link of document.links) add(link.getAttribute('href') || '');
  const all = document.getElementsByTagName('*');
  for (const one of all) if (one.shadowRoot) { add(one.shadowRoot.textContent); length += one.shadowRoot.querySelectorAll('*').length; }
  const digest = [hash, length, all.length, document.links.length].join();
  let found = true;
  try { found = !wanted || document.querySelector(wanted) !== null; } catch { /* not a selector: waited for in vain, said at the start */ }

  // What the page still has to do. No answer, for instance after document.open(), counts as nothing.
  let told = '';
  document.addEventListener(tell, event => { told = String(event.detail); }, { once: true });
  document.dispatchEvent(new CustomEvent(ask));
  const [timer = -1, frames = 0, idle = 0, sockets = 0, messages = 0] = told ? told.split(' ').map(Number) : [];
  const ends = animation => {
    if (animation.playState !== 'running' || !animation.effect) return Infinity;
    return (animation.effect.getComputedTiming().endTime - animation.currentTime) / Math.abs(animation.playbackRate || 1);
  };
  const isAnimated = document.getAnimations().some(animation => ends(animation) < 3000);
  return {
    isLoaded: document.readyState === 'complete', isFound: found, digest,
    timer, frames: frames > 0, idle: idle > 0, sockets, messages, isAnimated,
  };
})
