"""Every way that a page has to make a browser connect somewhere. Each page of the walls' site tries one of them.

`{to}` is the address and port of a listener that the policy forbids, `{port}` its port.
"""
from __future__ import annotations

SPELLINGS = ["127.1", "0x7f.1", "2130706433", "0177.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "localhost", "a.localhost",
             "inside.test"]
"""Hosts that name loopback."""
WORKER = """fetch('http://{to}/worker-fetch').catch(() => 0);
try { importScripts('http://{to}/worker-import') } catch {}
try { new WebSocket('ws://{to}/worker-socket') } catch {}
try { new EventSource('http://{to}/worker-events') } catch {}
self.addEventListener('install', () => fetch('http://{to}/installed').catch(() => 0));
self.addEventListener('fetch', event => event.respondWith(fetch('http://{to}/service')));"""
"""/worker.js of the site: a worker, a shared worker, a service worker."""
HEADERS = {
    "fields of the response": {
        "Link": "<http://{to}/link-preload>; rel=preload; as=fetch, <http://{to}>; rel=preconnect, <http://{to}/link-style>; rel=stylesheet",
        "Content-Security-Policy": "img-src 'none'; report-uri http://{to}/csp",
        "Reporting-Endpoints": 'default="http://{to}/reports"',
        "Report-To": '{"group": "default", "max_age": 600, "endpoints": [{"url": "http://{to}/report-to"}]}',
        "NEL": '{"report_to": "default", "max_age": 600, "success_fraction": 1.0}',
        "SourceMap": "http://{to}/map",
        "Speculation-Rules": '"http://{to}/rules"',
    },
    "refresh by the response": {"Refresh": "1; url=http://{to}/refresh-field"},
}
"""Header fields of the pages of ways."""
WAYS = {
    "meta refresh": "<meta http-equiv=refresh content='0;url=http://{to}/refresh'>",
    "frame": "<iframe src=http://{to}/frame></iframe><object data=http://{to}/object></object><embed src=http://{to}/embed>",
    "frame of a file": "<iframe src=file:///etc/passwd></iframe><object data=file:///etc/passwd type=text/plain></object>",
    "frame in a frame": """<iframe srcdoc="<iframe src='http://{to}/inner'></iframe><script>fetch('http://{to}/inner')</script>"></iframe>""",
    "fenced frame and portal": "<fencedframe src=http://{to}/fenced></fencedframe><portal src=http://{to}/portal></portal>",
    "image": "<img src=http://{to}/a.png srcset='http://{to}/b.png 2x'><picture><source srcset=http://{to}/c.png><img></picture>"
             "<svg><image href=http://{to}/d.svg /><use href='http://{to}/e.svg#x' /></svg><input type=image src=http://{to}/f.png>",
    "style": "<link rel=stylesheet href=http://{to}/a.css><style>@import 'http://{to}/b.css'; @import url(http://{to}/c.css) layer(x);"
             "@font-face { font-family: f; src: url(http://{to}/f) } body { font-family: f; background: url(http://{to}/g); "
             "cursor: url(http://{to}/h), auto }</style>text",
    "script": "<script src=http://{to}/a.js></script><script type=module src=http://{to}/b.js></script>"
              "<script>import('http://{to}/c.js').catch(() => 0)</script>",
    "import map": """<script type=importmap>{"imports": {"library": "http://{to}/library.js"}, "scopes": {"/": {"x": "http://{to}/x.js"}}}</script>
<script type=module>import 'library'</script><script type=module>import('x').catch(() => 0)</script>""",
    "media": "<video autoplay src=http://{to}/v poster=http://{to}/p><track default src=http://{to}/t></video><audio autoplay src=http://{to}/a></audio>",
    "hints": "<link rel=prefetch href=http://{to}/p><link rel=preconnect href=http://{to}><link rel=preload as=fetch href=http://{to}/q>"
             "<link rel=modulepreload href=http://{to}/m><link rel=manifest href=http://{to}/w><link rel=icon href=http://{to}/icon>"
             "<link rel=prerender href=http://{to}/r><link rel=search type=application/opensearchdescription+xml href=http://{to}/s>",
    "look-up of a name": "<link rel=dns-prefetch href=//prefetched.test><link rel=preconnect href=http://preconnected.test:{port}>"
                         "<a href=http://linked.test/ >a link</a>",
    "speculation": """<script type=speculationrules>{"prefetch": [{"source": "list", "urls": ["http://{to}/s"], "eagerness": "immediate"}],
"prerender": [{"source": "list", "urls": ["http://site.test/worker.js", "http://{to}/t"], "eagerness": "immediate"}]}</script>""",
    "fetch": """<script>fetch('http://{to}/f').catch(() => 0);
fetch('http://{to}/g', {mode: 'no-cors', method: 'POST', body: 'x'}).catch(() => 0);
fetch('http://{to}/h', {mode: 'no-cors', targetAddressSpace: 'loopback'}).catch(() => 0);
fetch('file:///etc/passwd').then(a => a.text()).then(t => document.body.append(t)).catch(() => 0)</script>""",
    "XMLHttpRequest": "<script>let x = new XMLHttpRequest; x.open('GET', 'http://{to}/x'); x.send(); "
                      "try { x = new XMLHttpRequest; x.open('GET', 'http://{to}/y', false); x.send() } catch {}</script>",
    "spellings": "<script>for (const host of {spellings}) { fetch(`http://${host}:{port}/s`, {mode: 'no-cors'}).catch(() => 0); "
                 "try { new WebSocket(`ws://${host}:{port}/s`) } catch {} }</script>",
    "beacon": "<script>navigator.sendBeacon('http://{to}/b', 'x'); fetch('http://{to}/k', {keepalive: true, mode: 'no-cors'}).catch(() => 0); "
              "try { fetchLater('http://{to}/later', {activateAfter: 0}) } catch {}</script>"
              "<a id=a href=#x ping=http://{to}/ping>x</a><script>a.click()</script>",
    "WebSocket": "<script>new WebSocket('ws://{to}/ws'); try { new WebSocketStream('ws://{to}/s') } catch {}; "
                 "try { new WebSocket('wss://{to}/wss') } catch {}</script>",
    "EventSource": "<script>new EventSource('http://{to}/es')</script>",
    "WebTransport": "<script>try { new WebTransport('https://{to}/wt').ready.catch(() => 0) } catch {}</script>",
    "WebRTC": """<script>let p = new RTCPeerConnection({iceServers: [{urls: ['stun:{to}', 'turn:{to}?transport=tcp', 'turn:{to}?transport=udp'],
username: 'a', credential: 'b'}]}); p.createDataChannel('d'); p.createOffer().then(o => p.setLocalDescription(o)).then(() =>
p.addIceCandidate({candidate: 'candidate:1 1 udp 2122260223 127.0.0.1 {port} typ host', sdpMid: '0'})).catch(() => 0)</script>""",
    "window": "<script>open('http://{to}/w'); open('about:blank').location = 'http://{to}/v'; open('http://{to}/o', '_blank', 'noopener')</script>",
    "navigation": "<script>location = 'http://{to}/n'</script>",
    "navigation to a file": "<script>location = 'file:///etc/passwd'</script>",
    "navigation later": "<script>setTimeout(() => location.replace('http://{to}/n'), 200)</script><a id=a href=http://{to}/a></a>"
                        "<script>setTimeout(() => a.click(), 100)</script>",
    "form": "<form id=f method=post action=http://{to}/form><input name=x value=1></form><script>f.submit()</script>",
    "form in a window": "<form id=f method=post action=http://{to}/form target=_blank></form><script>f.submit()</script>",
    "form in a frame": "<iframe name=frame></iframe><form id=f method=post action=http://{to}/form target=frame></form><script>f.submit()</script>",
    "download": "<a id=a download href=http://{to}/d>x</a><script>a.click()</script>",
    "worker": "<script>new Worker('/worker.js'); new Worker('/worker.js', {type: 'module'}); "
              "new Worker(URL.createObjectURL(new Blob([`{worker}`])))</script>",
    "shared worker": "<script>new SharedWorker('/worker.js'); new SharedWorker(URL.createObjectURL(new Blob([`{worker}`])))</script>",
    "service worker": "<script>navigator.serviceWorker && navigator.serviceWorker.register('/worker.js').then(r => fetch('/data.json')).catch(() => 0)</script>",
    "worklet": "<script>CSS.paintWorklet && CSS.paintWorklet.addModule('http://{to}/p').catch(() => 0); "
               "new AudioContext().audioWorklet.addModule('http://{to}/a').catch(() => 0); "
               "try { sharedStorage.worklet.addModule('http://{to}/s').catch(() => 0) } catch {}</script>",
    "redirect of a script": "<script src=/redirect></script><script type=module src=/redirect></script>",
    "redirect of data": "<script>fetch('/redirect').catch(() => 0); fetch('/redirect', {mode: 'no-cors'}).catch(() => 0); "
                        "new EventSource('/redirect')</script>",
    "redirect of a frame": "<iframe src=/redirect></iframe><script>open('/redirect')</script>",
    "navigation to a redirect": "<script>location = '/redirect'</script>",
    "caches": "<script>caches.open('c').then(c => c.addAll(['http://{to}/c'])).catch(() => 0)</script>",
    "services of the browser": """<script>
try { new PaymentRequest([{supportedMethods: 'http://{to}/pay'}], {total: {label: 'x', amount: {currency: 'EUR', value: '1'}}}).canMakePayment().catch(() => 0) } catch {}
try { navigator.credentials.get({identity: {providers: [{configURL: 'http://{to}/fedcm', clientId: 'x'}]}}).catch(() => 0) } catch {}
try { navigator.joinAdInterestGroup({owner: 'http://{to}', name: 'x', biddingLogicURL: 'http://{to}/bid'}, 60).catch(() => 0) } catch {}
</script><img attributionsrc=http://{to}/attribution>""",
    "transformed document": "<script>fetch('/sheet.xml').then(a => a.text()).then(t => { const d = new DOMParser().parseFromString(t, 'text/xml'); "
                            "try { const p = new XSLTProcessor(); p.importStylesheet(d); p.transformToDocument(d) } catch {} }).catch(() => 0)</script>",
    "name that changes its address": "<script>const ask = () => fetch('http://rebinding.test:{port}/', {mode: 'no-cors'}).catch(() => 0); "
                                     "ask(); for (const at of [100, 300, 700, 1500]) setTimeout(ask, at); new WebSocket('ws://rebinding.test:{port}/')</script>",
    "name inside": "<script>fetch('http://inside.test:{port}/', {mode: 'no-cors'}).catch(() => 0)</script><script src=http://inside.test:{port}/x.js></script>",
    "fields of the response": "<img src=http://{to}/blocked.png>",
    "refresh by the response": "",
}
