//! A collector on loopback reads what the export sends.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use telemetry::{MAX_BATCH, MAX_QUEUED, Service, SpanExport};
use tracing_subscriber::layer::SubscriberExt as _;
use url::Url;

/// Far more than a collector on loopback needs.
const LONG: Duration = Duration::from_secs(60);

const SERVICE: Service = Service {
    name: "crawler",
    version: "1.2.3",
    modules: &["collector", "crawl"],
};

/// A request as the collector got it.
struct Received {
    /// Request line and headers, in lower case.
    head: Vec<String>,
    traces: ExportTraceServiceRequest,
}

/// Answers each request with 200 and nothing more.
fn collector() -> (Url, Receiver<Received>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = url_of(&listener);
    let (sender, received) = mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            // Before the answer, after which the test looks.
            sender.send(read(&stream)).unwrap();
            (&stream)
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
                .unwrap();
        }
    });
    (url, received)
}

fn url_of(listener: &TcpListener) -> Url {
    format!("http://{}", listener.local_addr().unwrap()).parse().unwrap()
}

fn read(stream: &TcpStream) -> Received {
    let mut reader = BufReader::new(stream);
    let lines = reader.by_ref().lines().map(|line| line.unwrap().to_ascii_lowercase());
    let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    let length = head.iter().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.unwrap().parse().unwrap()];
    reader.read_exact(&mut body).unwrap();
    let traces = ExportTraceServiceRequest::decode(&body[..]).unwrap();
    Received { head, traces }
}

/// The work, with its spans exported; the number of lost spans.
fn exported(collector: &Url, within: Duration, work: impl FnOnce()) -> u64 {
    let export = SpanExport::start(collector, SERVICE).unwrap();
    tracing::subscriber::with_default(tracing_subscriber::registry().with(export.layer()), work);
    export.finish(within)
}

fn spans(requests: &[Received]) -> Vec<&Span> {
    let resources = requests.iter().flat_map(|request| &request.traces.resource_spans);
    let scopes = resources.flat_map(|resource| &resource.scope_spans);
    scopes.flat_map(|scope| &scope.spans).collect()
}

fn attributes(attributes: &[KeyValue]) -> BTreeMap<&str, String> {
    let text = |attribute: &KeyValue| match attribute.value.as_ref().unwrap().value.as_ref().unwrap() {
        Value::StringValue(text) => text.clone(),
        Value::IntValue(number) => number.to_string(),
        other => panic!("{other:?}"),
    };
    attributes.iter().map(|one| (one.key.as_str(), text(one))).collect()
}

/// The names from the root to the span.
fn path(span: &Span, all: &[&Span]) -> String {
    match all.iter().find(|other| other.span_id == span.parent_span_id) {
        Some(parent) => format!("{}/{}", path(parent, all), span.name),
        None => span.name.clone(),
    }
}

/// The shape of the spans of a crawl: parents that are named, and parents that are entered.
fn crawl() {
    let run = tracing::debug_span!("run", command = "run", data = "data");
    let host = tracing::debug_span!(parent: &run, "host", name = "a.example");
    for attempt in [1_u8, 2] {
        let url = "https://a.example/1";
        drop(tracing::debug_span!(parent: &host, "fetch", url = %url, attempt));
    }
    let entered = run.enter();
    drop(tracing::debug_span!(target: "crawl::recorder", "commit", rows = 7).entered());
    drop(entered);
}

#[test]
fn the_spans_of_a_crawl_arrive_with_their_parents_and_fields() {
    let (url, received) = collector();
    assert_eq!(exported(&url, LONG, crawl), 0);
    let requests: Vec<Received> = received.try_iter().collect();
    let all = spans(&requests);
    let mut paths: Vec<String> = all.iter().map(|span| path(span, &all)).collect();
    paths.sort_unstable();
    assert_eq!(
        paths,
        ["run", "run/commit", "run/host", "run/host/fetch", "run/host/fetch"]
    );
    let fields = |name: &str| -> Vec<BTreeMap<&str, String>> {
        let named = all.iter().filter(|span| span.name == name);
        named.map(|span| attributes(&span.attributes)).collect()
    };
    assert_eq!(
        (&fields("run")[0]["command"][..], &fields("run")[0]["data"][..]),
        ("run", "data")
    );
    assert_eq!(fields("host")[0]["name"], "a.example");
    assert_eq!(fields("commit")[0]["rows"], "7");
    let fetches = fields("fetch");
    let attempts: Vec<&str> = fetches.iter().map(|fetch| fetch["attempt"].as_str()).collect();
    assert_eq!(attempts, ["1", "2"]);
    assert!(fetches.iter().all(|fetch| fetch["url"] == "https://a.example/1"));
    let trace = &all[0].trace_id;
    assert!(
        all.iter()
            .all(|span| &span.trace_id == trace && span.end_time_unix_nano >= span.start_time_unix_nano)
    );
}

#[test]
fn a_request_is_a_post_of_protobuf_that_names_the_service() {
    let (url, received) = collector();
    assert_eq!(exported(&url, LONG, crawl), 0);
    let request = received.recv().unwrap();
    assert_eq!(request.head[0], "post /v1/traces http/1.1");
    assert!(
        request
            .head
            .contains(&"content-type: application/x-protobuf".to_owned()),
        "{:?}",
        request.head
    );
    let resource = request.traces.resource_spans[0].resource.as_ref().unwrap();
    let named = attributes(&resource.attributes);
    assert_eq!(
        (&named["service.name"][..], &named["service.version"][..]),
        ("crawler", "1.2.3")
    );
}

#[test]
fn events_and_the_spans_of_other_crates_stay_here() {
    let (url, received) = collector();
    let lost = exported(&url, LONG, || {
        let _entered = tracing::debug_span!("run").entered();
        tracing::warn!("an event");
        drop(tracing::debug_span!(target: "hyper::client", "request"));
        drop(tracing::error_span!(target: "crawl_of_others", "request"));
        drop(tracing::trace_span!("too fine"));
    });
    assert_eq!(lost, 0);
    let requests: Vec<Received> = received.try_iter().collect();
    let all = spans(&requests);
    assert_eq!(all.iter().map(|span| &span.name[..]).collect::<Vec<_>>(), ["run"]);
    assert!(all[0].events.is_empty());
}

#[test]
fn many_spans_arrive_in_several_requests() {
    let (url, received) = collector();
    let many = 2 * MAX_BATCH + 1;
    let lost = exported(&url, LONG, || {
        (0..many).for_each(|_| drop(tracing::debug_span!("fetch")))
    });
    assert_eq!(lost, 0);
    let requests: Vec<Received> = received.try_iter().collect();
    assert_eq!(spans(&requests).len(), many);
    assert!(
        requests.len() >= 3
            && requests
                .iter()
                .all(|request| spans(std::slice::from_ref(request)).len() <= MAX_BATCH)
    );
}

#[test]
fn a_collector_that_never_answers_stops_nobody() {
    // The system accepts connections, and nobody reads them.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let many = MAX_QUEUED + 2 * MAX_BATCH;
    let work = || (0..many).for_each(|_| drop(tracing::debug_span!("fetch")));
    let lost = exported(&url_of(&listener), Duration::from_millis(100), work);
    assert_eq!(lost, u64::try_from(many).unwrap());
}

#[test]
fn an_answer_that_does_not_end_is_a_failure() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = url_of(&listener);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _sent = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
            // Until the client closes the connection.
            while stream.write_all(&[0; 4096]).is_ok() {}
        }
    });
    assert_eq!(exported(&url, LONG, || drop(tracing::debug_span!("run"))), 1);
}
