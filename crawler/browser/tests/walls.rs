//! The browser connects to nothing: the witness is the side that listens.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use std::io::Read;
use std::net::{TcpListener, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use browser::{Renderer, Settings};
use support::{Site, render, settings};

/// Listens on loopback, and counts what comes.
struct Forbidden {
    port: u16,
    seen: Arc<AtomicUsize>,
}

impl Forbidden {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let datagrams = UdpSocket::bind(("127.0.0.1", port)).unwrap();
        let seen = Arc::new(AtomicUsize::new(0));
        let (tcp, udp) = (seen.clone(), seen.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                tcp.fetch_add(1, Ordering::SeqCst);
                let mut head = [0; 200];
                let read = (&stream).read(&mut head).unwrap_or_default();
                eprintln!("forbidden connection: {}", String::from_utf8_lossy(&head[..read]));
            }
        });
        std::thread::spawn(move || {
            let mut datagram = [0; 1500];
            while datagrams.recv(&mut datagram).is_ok() {
                eprintln!("forbidden datagram");
                udp.fetch_add(1, Ordering::SeqCst);
            }
        });
        Self { port, seen }
    }

    fn seen(&self) -> usize {
        self.seen.load(Ordering::SeqCst)
    }
}

/// Every way out of a page that we know of. `{to}` is `127.0.0.1:port`, `{name}` a name for it.
const WAYS: &[(&str, &str)] = &[
    (
        "meta refresh",
        "<meta http-equiv=refresh content='0;url=http://{to}/refresh'>",
    ),
    (
        "frame",
        "<iframe src=http://{to}/frame></iframe><object data=http://{to}/object></object><embed src=http://{to}/embed>",
    ),
    ("frame of a file", "<iframe src=file:///etc/passwd></iframe>"),
    (
        "frame in a frame",
        "<iframe srcdoc=\"<iframe src='http://{to}/inner'></iframe><img src='http://{to}/i'>\"></iframe>",
    ),
    (
        "image, style, script, font",
        "<img src=http://{to}/a.png><link rel=stylesheet href=http://{to}/a.css><script src=http://{to}/a.js></script>\
        <style>@import 'http://{to}/b.css'; @font-face { font-family: f; src: url(http://{to}/f) } body { font-family: f }</style>x",
    ),
    (
        "video, audio, track",
        "<video autoplay src=http://{to}/v><track default src=http://{to}/t></video><audio autoplay src=http://{to}/a></audio>",
    ),
    (
        "hints",
        "<link rel=prefetch href=http://{to}/p><link rel=preconnect href=http://{to}><link rel=dns-prefetch href=//{name}>\
        <link rel=preload as=fetch href=http://{to}/q><link rel=modulepreload href=http://{to}/m><link rel=manifest href=http://{to}/w>\
        <link rel=icon href=http://{to}/icon><link rel=prerender href=http://{to}/r>",
    ),
    (
        "speculation",
        "<script type=speculationrules>{\"prefetch\":[{\"source\":\"list\",\"urls\":[\"http://{to}/s\"]}],\
        \"prerender\":[{\"source\":\"list\",\"urls\":[\"http://site.test/other\",\"http://{to}/t\"]}]}</script>",
    ),
    (
        "fetch and XHR",
        "<script>fetch('http://{to}/f').catch(() => 0); fetch('http://{to}/g', {mode: 'no-cors', method: 'POST', body: 'x'}).catch(() => 0); \
        fetch('http://{name}/g').catch(() => 0); let x = new XMLHttpRequest; x.open('GET', 'http://{to}/x'); x.send(); \
        fetch('file:///etc/passwd').catch(() => 0)</script>",
    ),
    (
        "synchronous XHR",
        "<script>try { let x = new XMLHttpRequest; x.open('GET', 'http://{to}/x', false); x.send() } catch {}</script>",
    ),
    (
        "beacon",
        "<script>navigator.sendBeacon('http://{to}/b', 'x'); fetch('http://{to}/k', {keepalive: true}).catch(() => 0)</script>\
        <a id=a href=/x ping=http://{to}/ping>x</a><script>a.click()</script>",
    ),
    (
        "WebSocket",
        "<script>new WebSocket('ws://{to}/ws'); try { new WebSocketStream('ws://{to}/s') } catch {}</script>",
    ),
    ("EventSource", "<script>new EventSource('http://{to}/es')</script>"),
    (
        "WebTransport",
        "<script>try { new WebTransport('https://{to}/wt').ready.catch(() => 0) } catch {}</script>",
    ),
    (
        "WebRTC",
        "<script>let p = new RTCPeerConnection({iceServers: [{urls: ['stun:{to}', 'turn:{to}?transport=tcp', 'turn:{to}?transport=udp'], \
        username: 'a', credential: 'b'}]}); p.createDataChannel('d'); p.createOffer().then(o => p.setLocalDescription(o))</script>",
    ),
    (
        "window",
        "<script>window.open('http://{to}/w'); window.open('about:blank').location = 'http://{to}/v'</script>",
    ),
    ("navigation", "<script>location = 'http://{to}/n'</script>"),
    (
        "navigation to a file",
        "<script>location = 'file:///etc/passwd'</script>",
    ),
    (
        "form",
        "<form id=f method=post action=http://{to}/form target=_blank></form><script>f.submit()</script>",
    ),
    (
        "form in place",
        "<form id=f method=post action=http://{to}/form></form><script>f.submit()</script>",
    ),
    (
        "download",
        "<a id=a download href=http://{to}/d>x</a><script>a.click()</script>",
    ),
    (
        "worker",
        "<script>new Worker(URL.createObjectURL(new Blob([`fetch('http://{to}/w').catch(() => 0); try { importScripts('http://{to}/i') } catch {}; \
        new WebSocket('ws://{to}/ws')`])))</script>",
    ),
    (
        "worker of the site",
        "<script>new Worker('/worker.js'); new Worker('/worker.js', {type: 'module'})</script>",
    ),
    ("shared worker", "<script>new SharedWorker('/worker.js')</script>"),
    (
        "service worker",
        "<script>navigator.serviceWorker && navigator.serviceWorker.register('/worker.js').catch(() => 0)</script>",
    ),
    ("redirect of a script", "<script src=/redirect></script>"),
    (
        "redirect of data",
        "<script>fetch('/redirect').catch(() => 0); fetch('/redirect', {mode: 'no-cors'}).catch(() => 0)</script>",
    ),
    (
        "worklet",
        "<script>CSS.paintWorklet && CSS.paintWorklet.addModule('http://{to}/p').catch(() => 0); \
        new AudioContext().audioWorklet.addModule('http://{to}/a').catch(() => 0)</script>",
    ),
    (
        "reports",
        "<script>navigator.sendBeacon('/csp')</script><img src=x: onerror=1><portal src=http://{to}/portal></portal>",
    ),
    (
        "name that changes its address",
        "<script>fetch('http://rebinding.test/').catch(() => 0); setTimeout(() => \
        fetch('http://rebinding.test:{port}/').catch(() => 0), 100); new WebSocket('ws://rebinding.test:{port}/')</script>",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn no_way_out_of_a_page_reaches_a_listener_on_loopback() {
    let forbidden = Forbidden::start();
    let to = format!("127.0.0.1:{}", forbidden.port);
    let name = format!("localhost:{}", forbidden.port);
    let fill = |text: &str| {
        let text = text.replace("{to}", &to).replace("{name}", &name);
        text.replace("{port}", &forbidden.port.to_string())
    };
    let worker = "fetch('http://{to}/w').catch(() => 0); try { importScripts('http://{to}/i') } catch {}; new WebSocket('ws://{to}/s'); \
        try { new EventSource('http://{to}/e') } catch {}";
    let site = Arc::new(
        Site::default()
            .file("http://site.test/worker.js", "text/javascript", &fill(worker))
            .redirect("http://site.test/redirect", &format!("http://{to}/redirected")),
    );
    let settings = Settings {
        timeout: Duration::from_secs(4),
        ..settings()
    };
    let renderer = Renderer::new(settings);
    for (way, html) in WAYS {
        let html = format!("<!DOCTYPE html><title>t</title><p>stays</p>{}", fill(html));
        let rendered = render(&renderer, &html, &site).await;
        let rendered = rendered.unwrap_or_else(|error| panic!("{way}: {error}"));
        assert!(rendered.html.contains("<p>stays</p>"), "{way}: {}", rendered.html);
        assert!(!rendered.html.contains("root:"), "{way}: {}", rendered.html);
        assert_eq!(forbidden.seen(), 0, "{way}");
        eprintln!(
            "{way}: refused {:?}, by the wall {}",
            rendered.refused,
            renderer.refused_by_wall().await
        );
    }
    // What the pages left behind has time to connect.
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(forbidden.seen(), 0);
    assert!(renderer.refused_by_wall().await > 0, "WebSockets meet the wall");
    // The redirect led to a request of its own, which the caller refused. Without the walls, it would have arrived.
    assert!(
        site.asked().contains(&format!("http://{to}/redirected")),
        "{:?}",
        site.asked()
    );
    drop(std::net::TcpStream::connect(&to).unwrap());
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(forbidden.seen(), 1, "the witness sees connections");
}
