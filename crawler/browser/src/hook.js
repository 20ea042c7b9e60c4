((ask, tell) => {
  // Runs in the page's own world, before its scripts, and counts what the page has asked the browser to do later. Only the isolated world
  // knows the names of the two events. The page may change the built-in objects, so that what is needed is taken now.
  const { apply, construct } = Reflect;
  const { addEventListener, dispatchEvent } = EventTarget.prototype;
  const Told = CustomEvent;
  const now = performance.now.bind(performance);
  const wrap = (name, around) => {
    if (typeof globalThis[name] === 'function') globalThis[name] = new Proxy(globalThis[name], around);
  };

  // Timers: when each is due.
  const timers = { __proto__: null };
  const timer = isRepeated => ({
    apply(native, self, given) {
      const handler = given[0];
      if (typeof handler !== 'function') return apply(native, self, given);
      const delay = typeof given[1] === 'number' || typeof given[1] === 'string' ? Number(given[1]) || 0 : 0;
      let id = 0;
      given[0] = function () {
        if (!isRepeated) delete timers[id];
        else if (id in timers) timers[id] = now() + delay;
        return apply(handler, this, arguments);
      };
      id = apply(native, self, given);
      timers[id] = now() + delay;
      return id;
    },
  });
  // Callbacks for frames and for idle times.
  const once = waiting => ({
    apply(native, self, given) {
      const handler = given[0];
      if (typeof handler !== 'function') return apply(native, self, given);
      let id = 0;
      given[0] = function () {
        delete waiting[id];
        return apply(handler, this, arguments);
      };
      id = apply(native, self, given);
      waiting[id] = true;
      return id;
    },
  });
  const cancel = waiting => ({
    apply(native, self, given) {
      if (typeof given[0] === 'number') delete waiting[given[0]];
      return apply(native, self, given);
    },
  });
  const frames = { __proto__: null };
  const idle = { __proto__: null };
  wrap('setTimeout', timer(false));
  wrap('setInterval', timer(true));
  wrap('clearTimeout', cancel(timers));
  wrap('clearInterval', cancel(timers));
  wrap('requestAnimationFrame', once(frames));
  wrap('cancelAnimationFrame', cancel(frames));
  wrap('requestIdleCallback', once(idle));
  wrap('cancelIdleCallback', cancel(idle));

  // Sockets that are being opened, and messages of workers.
  let sockets = 0;
  let messages = 0;
  wrap('WebSocket', {
    construct(native, given, target) {
      const made = construct(native, given, target);
      let isOpening = true;
      const opened = () => {
        if (isOpening) sockets--;
        isOpening = false;
      };
      sockets++;
      for (const event of ['open', 'error', 'close']) apply(addEventListener, made, [event, opened]);
      return made;
    },
  });
  const counted = {
    construct(native, given, target) {
      const made = construct(native, given, target);
      apply(addEventListener, made.port || made, ['message', () => { messages++; }]);
      return made;
    },
  };
  wrap('Worker', counted);
  wrap('SharedWorker', counted);

  apply(addEventListener, document, [ask, () => {
    let next = -1;
    for (const id in timers) {
      const left = timers[id] > now() ? timers[id] - now() : 0;
      if (next < 0 || left < next) next = left;
    }
    let hasFrames = false;
    for (const _id in frames) hasFrames = true;
    let hasIdle = false;
    for (const _id in idle) hasIdle = true;
    apply(dispatchEvent, document, [new Told(tell, { detail: `${next} ${hasFrames ? 1 : 0} ${hasIdle ? 1 : 0} ${sockets} ${messages}` })]);
  }]);
})
