(wanted => new Promise(drawn => {
  // In the isolated world: the page does not see it. Frames are drawn also while the clock of the page stands still.
  let frames = 0;
  const drew = () => { if (++frames < wanted) requestAnimationFrame(drew); else drawn(frames); };
  requestAnimationFrame(drew);
}))
