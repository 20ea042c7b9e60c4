// What an app does beside its pages: a service worker, a socket for news, a counter of visits, a script of another host.
export function keepInTouch() {
  navigator.serviceWorker?.register('/react/service-worker.js').catch(() => {});
  try {
    new WebSocket(`${location.origin.replace('http', 'ws')}/react/live`).onmessage = event => console.log(event.data);
  } catch { /* no news */ }
  try {
    localStorage.setItem('visits', Number(localStorage.getItem('visits') ?? 0) + 1);
  } catch { /* no storage */ }
  const counter = document.createElement('script');
  counter.async = true;
  counter.src = `http://127.0.0.9:${location.port}/counter.js`;
  document.head.append(counter);
}
