'use strict';
// Two sliders over all settings. Every number is in the page before a slider moves; only the list of pages is asked for. Text from the
// crawl enters the page only as text.
(() => {
  const byId = (id) => document.getElementById(id);
  const token = document.querySelector('meta[name=crawler-token]').content;
  const grouped = (number) => number.toLocaleString('en-US');
  const set = (id, text) => { const node = byId(id); if (node.textContent !== text) node.textContent = text; };
  const WAIT_MS = 500;
  // The edges of the histograms, and those of the plane.
  const LEFT = 80, RIGHT = 622;
  const FIELD = { left: 64, right: 624, top: 36, bottom: 396 };
  let answer, settings, distances, similarities, asked = 0;

  const ask = async (path, body) => {
    const options = body === undefined ? { cache: 'no-store' }
      : { method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Crawler-Token': token }, body: JSON.stringify(body) };
    const got = await fetch(path, options);
    const json = await got.json();
    if (got.status === 202) throw Object.assign(new Error(json.preparing), { isPreparing: true });
    if (!got.ok) throw new Error(json.error);
    return json;
  };
  const later = (ms) => new Promise((done) => { setTimeout(done, ms); });
  // Asks until the server has prepared the answer.
  const prepared = async (path, told) => {
    for (;;) {
      try {
        return await ask(path);
      } catch (error) {
        if (!error.isPreparing) throw error;
        told(error.message);
        await later(WAIT_MS);
      }
    }
  };

  const key = (setting) => `${setting.max_distance} ${setting.min_similarity}`;
  const chosen = () => ({
    max_distance: distances[Number(byId('distance').value)],
    min_similarity: similarities.length ? similarities[Number(byId('similarity').value)] : null,
  });
  const percent = (share) => (share * 100).toFixed(1) + ' %';
  const estimate = (name, share) => {
    set(name, share ? percent(share.estimate) : '–');
    const by = answer.labels.pairs === 0 ? 'estimated from the texts, no labels; ' : '';
    set(name + '-note', share ? `${by}95 %: ${percent(share.low)} to ${percent(share.high)}` : 'the sample gives no estimate');
  };
  const line = (part, x, text) => {
    const mark = byId(part).querySelector('svg line.threshold');
    if (!mark) return;
    for (const end of ['x1', 'x2']) mark.setAttribute(end, x.toFixed(1));
    const label = byId(part).querySelector('svg text.threshold');
    const isRight = x > 320;
    label.setAttribute('x', (isRight ? x - 6 : x + 6).toFixed(1));
    label.setAttribute('class', 'threshold ' + (isRight ? 'end' : 'start'));
    label.textContent = text;
  };

  // Draws the corner of the plane in which pairs are dropped.
  const cut = (at) => {
    const slots = Number(byId('plane').dataset.slots);
    const x = FIELD.left + (FIELD.right - FIELD.left) * Math.min(1, (at.max_distance + 1) / slots);
    const y = FIELD.bottom - (FIELD.bottom - FIELD.top) * (at.min_similarity ?? 0);
    const draw = (id, places) => { for (const [name, place] of Object.entries(places)) byId(id).setAttribute(name, place.toFixed(1)); };
    draw('cut-area', { width: x - FIELD.left, height: y - FIELD.top });
    draw('cut-x', { x1: x, x2: x, y2: y });
    draw('cut-y', { x2: x, y1: y, y2: y });
    draw('cut-handle', { cx: x, cy: y });
  };

  const show = () => {
    const at = chosen();
    const result = settings.get(key(at));
    cut(at);
    const bits = at.max_distance === 1 ? '1 bit' : at.max_distance + ' bits';
    set('distance-value', bits);
    byId('distance').setAttribute('aria-valuetext', bits);
    line('distance-part', LEFT + (RIGHT - LEFT) * (at.max_distance + 1) / Number(byId('distance-part').dataset.slots), `at most ${bits}`);
    if (at.min_similarity !== null) {
      set('similarity-value', String(at.min_similarity));
      byId('similarity').setAttribute('aria-valuetext', String(at.min_similarity));
      line('similarity-part', LEFT + (RIGHT - LEFT) * at.min_similarity, `at least ${at.min_similarity}`);
    }
    set('dropped', grouped(result.dropped));
    const moves = [[result.newly_dropped, 'more dropped'], [result.newly_kept, 'more kept']].filter(([count]) => count > 0);
    const than = moves.length ? moves.map(([count, what]) => `${grouped(count)} ${what}`).join(' and ') + ' than in force' : 'the same as in force';
    set('dropped-note', `of ${grouped(answer.pages)}; ${than}`);
    estimate('precision', result.precision);
    estimate('recall', result.recall);
    byId('contradicted-part').hidden = answer.labels.pairs === 0;
    set('contradicted', String(result.labels_contradicted));
    set('contradicted-note', `of ${grouped(answer.labels.pairs)} labels`);
    const where = result.is_in_force ? ' This setting is in force.' : result.is_recommended ? ' This setting is recommended.' : '';
    set('summary', `${grouped(result.dropped)} of ${grouped(answer.pages)} pages are dropped.${where}`);
    byId('plan').disabled = result.is_in_force;
    byId('to-force').hidden = result.is_in_force;
    byId('to-recommended').hidden = result.is_recommended;
    byId('planned').hidden = true;
    set('written', '');
    changes(at, result);
  };

  const changes = async (at, result) => {
    asked += 1;
    const number = asked;
    const all = result.newly_dropped + result.newly_kept;
    if (all === 0) {
      byId('changes').replaceChildren();
      byId('changes-table').hidden = true;
      set('changes-note', result.is_in_force ? 'None: this setting is in force.' : 'None.');
      return;
    }
    const query = new URLSearchParams({ max_distance: at.max_distance });
    if (at.min_similarity !== null) query.set('min_similarity', at.min_similarity);
    let found;
    try {
      found = await ask('/api/tune/changes?' + query);
    } catch (error) {
      if (number === asked) set('changes-note', error.message);
      return;
    }
    if (number !== asked) return;
    const make = (name, text) => { const node = document.createElement(name); node.textContent = text; return node; };
    const link = (url) => {
      const node = document.createElement('a');
      node.href = '/page?' + new URLSearchParams({ url });
      node.append(make('bdi', url));
      return node;
    };
    byId('changes').replaceChildren(...found.pairs.map((pair) => {
      const row = document.createElement('tr');
      const head = document.createElement('th');
      head.scope = 'row';
      head.setAttribute('role', 'rowheader');
      head.className = 'u';
      head.append(link(pair.url));
      row.setAttribute('role', 'row');
      const cell = (name, content, kind) => {
        const made = document.createElement('td');
        made.className = kind;
        made.setAttribute('role', 'cell');
        made.dataset.label = name;
        made.append(content);
        return made;
      };
      const outcome = (name) => { const made = make('span', name); made.className = 'badge ' + name; return made; };
      const change = make('span', '');
      change.append(outcome(pair.from), ' → ', outcome(pair.to));
      row.append(head, cell('kept page', link(pair.of), 'u'), cell('change', change, 't'),
        cell('bits', pair.distance === null ? '–' : String(pair.distance), 'n'), cell('similarity', pair.similarity.toFixed(3), 'n'));
      return row;
    }));
    byId('changes-table').hidden = false;
    set('changes-note', `${grouped(all)} ${all === 1 ? 'page changes' : 'pages change'}` + (all > found.pairs.length ? `; the ${found.pairs.length} least certain ones are listed.` : '.'));
  };

  const go = (setting) => {
    byId('distance').value = distances.indexOf(setting.max_distance);
    if (similarities.length) byId('similarity').value = similarities.indexOf(setting.min_similarity);
    show();
  };

  // Without labels, precision and recall are estimates: this stands in sight.
  const standing = () => {
    const pages = `${grouped(answer.pages)} pages`;
    if (answer.labels.pairs > 0) {
      set('standing', `${pages}. Precision and recall count your ${grouped(answer.labels.pairs)} labels, and estimates from the texts of ${grouped(answer.sample.judged)} pages.`);
      return;
    }
    const link = document.createElement('a');
    link.href = '/duplicates';
    link.textContent = 'Label pairs';
    byId('standing').replaceChildren(`${pages}. No pair is labelled, so precision and recall are estimates. `, link);
  };

  const begin = async () => {
    answer = await prepared('/api/tune', (text) => set('standing', text));
    const kind = answer.in_force.confirm;
    const all = answer.settings.filter((setting) => setting.confirm === kind);
    settings = new Map(all.map((setting) => [key(setting), setting]));
    const ascending = (values) => [...new Set(values)].sort((a, b) => a - b);
    distances = ascending(all.map((setting) => setting.max_distance));
    similarities = ascending(all.map((setting) => setting.min_similarity).filter((least) => least !== null));
    byId('distance').max = distances.length - 1;
    byId('distance').disabled = false;
    byId('similarity').max = Math.max(0, similarities.length - 1);
    byId('similarity').disabled = similarities.length === 0;
    const hash = /^#(\d+)(?:,([\d.]+))?$/.exec(location.hash);
    const named = hash && { max_distance: Number(hash[1]), min_similarity: hash[2] ? Number(hash[2]) : null };
    set('recommended', 'Recommended: ' + answer.recommendation.reason);
    standing();
    byId('result').hidden = false;
    go(named && settings.has(key(named)) ? named : answer.in_force);
  };

  // The setting is a part of the address, so that it can be kept and sent.
  const moved = () => {
    const at = chosen();
    history.replaceState(null, '', '#' + at.max_distance + (at.min_similarity === null ? '' : ',' + at.min_similarity));
    show();
  };
  for (const id of ['distance', 'similarity']) byId(id).addEventListener('input', moved);

  // The corner of the cut follows the pointer, and stops at the settings that the sliders have. A finger on the rest of the plane scrolls.
  const nearest = (values, wanted) => values.reduce((best, value, at) => (Math.abs(value - wanted) < Math.abs(values[best] - wanted) ? at : best), 0);
  const plane = byId('plane');
  const follows = (event) => {
    if (!answer) return;
    const box = plane.getBoundingClientRect();
    const scale = plane.viewBox.baseVal.width / box.width;
    const across = ((event.clientX - box.left) * scale - FIELD.left) / (FIELD.right - FIELD.left);
    const up = (FIELD.bottom - (event.clientY - box.top) * scale) / (FIELD.bottom - FIELD.top);
    const before = [byId('distance').value, byId('similarity').value].join();
    byId('distance').value = nearest(distances, across * Number(plane.dataset.slots) - 1);
    if (similarities.length) byId('similarity').value = nearest(similarities, up);
    if ([byId('distance').value, byId('similarity').value].join() !== before) moved();
  };
  let isDragged = false;
  plane.addEventListener('pointerdown', (event) => {
    if (event.pointerType === 'touch' && event.target.id !== 'cut-handle') return;
    isDragged = true;
    plane.setPointerCapture(event.pointerId);
    follows(event);
    event.preventDefault();
  });
  plane.addEventListener('pointermove', (event) => { if (isDragged) follows(event); });
  for (const end of ['pointerup', 'pointercancel']) plane.addEventListener(end, () => { isDragged = false; });
  plane.addEventListener('click', follows);

  byId('to-force').addEventListener('click', () => { go(answer.in_force); moved(); byId('distance').focus(); });
  byId('to-recommended').addEventListener('click', () => { go(answer.recommendation.setting); moved(); byId('distance').focus(); });

  const say = (id, act) => async () => {
    try { await act(); } catch (error) { set(id, error.message); }
  };
  byId('plan').addEventListener('click', say('written', async () => {
    const plan = await ask('/api/config/plan', chosen());
    const over = plan.overridden_by.length ? ` The environment overrides it: ${plan.overridden_by.join(', ')}.` : '';
    set('planned-text', plan.keys.length ? `In ${plan.file}.${over}` : `${plan.file} needs no change.`);
    set('planned-lines', [...plan.removed.map((text) => '- ' + text), ...plan.added.map((text) => '+ ' + text)].join('\n'));
    byId('write').hidden = plan.keys.length === 0;
    byId('planned').hidden = false;
    byId('planned').focus();
  }));
  byId('cancel').addEventListener('click', () => { byId('planned').hidden = true; byId('plan').focus(); });
  byId('write').addEventListener('click', say('written', async () => {
    const done = await ask('/api/config', chosen());
    byId('planned').hidden = true;
    byId('plan').focus();
    set('written', `Written to ${done.file}. The next run uses it; to change the verdicts of now, decide all pages again.`);
  }));

  // Loads the page again as soon as the server has read the new verdicts. The result stays: the server tells it again.
  const shown = async () => {
    for (let tries = 0; tries < 240; tries += 1) {
      const now = await ask('/api/state');
      if (String(now.number) !== document.body.dataset.number) {
        location.reload();
        return;
      }
      await later(WAIT_MS);
    }
  };
  const follow = async (begun) => {
    for (;;) {
      const now = await ask('/api/redecide');
      set('again-standing', now.text);
      for (const id of ['again', 'again-here']) byId(id).disabled = now.state === 'running';
      if (now.state !== 'running') {
        if (begun === true && now.state === 'done') await shown();
        return;
      }
      begun = true;
      await later(WAIT_MS);
    }
  };
  for (const id of ['again', 'again-here']) byId(id).addEventListener('click', () => { byId('sure').hidden = false; byId('sure').focus(); });
  byId('stay').addEventListener('click', () => { byId('sure').hidden = true; byId('again').focus(); });
  byId('go').addEventListener('click', say('again-standing', async () => {
    byId('sure').hidden = true;
    byId('again').focus();
    await ask('/api/redecide', {});
    await follow(true);
  }));
  say('again-standing', () => follow(false))();
  say('standing', begin)();
})();
