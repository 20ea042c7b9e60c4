//! Response heads as servers write them, over a raw connection: what is read, what is refused, and that nothing makes one response two.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;

use reqwest::header::CONTENT_TYPE;
use url::Url;

use super::route::tests::settings;
use super::*;

/// The answer to a path that the server does not know.
const NEXT: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext";

/// A response that nobody asked for.
const FAKE: &str = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfake";

/// The port of a server that sends these bytes for these paths, and keeps every connection open unless the bytes say that they end with
/// it.
fn server(answers: Vec<(String, Vec<u8>)>) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let answers: Arc<HashMap<String, Vec<u8>>> = Arc::new(answers.into_iter().collect());
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let answers = Arc::clone(&answers);
            std::thread::spawn(move || serve(stream, &answers));
        }
    });
    port
}

fn serve(mut stream: TcpStream, answers: &HashMap<String, Vec<u8>>) {
    loop {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            match stream.read(&mut byte) {
                Ok(1) => head.push(byte[0]),
                _ => return,
            }
        }
        let head = String::from_utf8(head).unwrap();
        let path = head.split(' ').nth(1).unwrap();
        let answer = answers.get(path).map_or(NEXT, Vec::as_slice);
        // A client may close the connection before it has read all.
        if stream.write_all(answer).is_err() || path.contains("close") {
            return;
        }
    }
}

/// The body, or the kind of the failure; then the answer to the next request.
async fn asked(fetcher: &Fetcher, port: u16, path: &str) -> (Result<String, &'static str>, String) {
    let get = |path: &str| {
        let url = Url::parse(&format!("http://127.0.0.1:{port}{path}")).unwrap();
        async move { fetcher.get(&url, Wanted::Resource).await }
    };
    let text = |response: Response| String::from_utf8(response.body.unwrap_or_default().to_vec()).unwrap();
    let answer = get(path).await.map(text).map_err(|error| error.kind());
    (answer, text(get("/next").await.unwrap()))
}

/// A response with these lines in its head, and the body `text`.
fn with(lines: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n{lines}\r\n\r\ntext").into_bytes()
}

fn raw(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

#[tokio::test]
async fn heads_are_read_as_browsers_read_them() {
    let many = (0..400).map(|n| format!("X-{n}: {n}")).collect::<Vec<_>>().join("\r\n");
    let cases: Vec<(&str, Vec<u8>, Result<&str, &str>)> = vec![
        (
            "a line that is no field",
            with("<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\">"),
            Ok("text"),
        ),
        ("a line without a colon", with("Garbage"), Ok("text")),
        ("a name with a blank", with("X Powered By: cms"), Ok("text")),
        (
            "a blank before the colon",
            with("X-Other : 1\r\nX-Tab\t: 1"),
            Ok("text"),
        ),
        ("an empty name", with(": 1"), Ok("text")),
        ("a name beyond ASCII", with("X-\u{e9}: 1"), Ok("text")),
        (
            "a name with a separator",
            with("X(A): 1\r\n\"X\": 1\r\n[X]: 1"),
            Ok("text"),
        ),
        (
            "control characters in a value",
            with("X-A: a\x01b\r\nX-B: \x1b[31mb\r\nX-C: \x7f\r\nX-D: \x0b"),
            Ok("text"),
        ),
        ("text beyond ASCII in a value", with("X-A: \u{e9}"), Ok("text")),
        (
            "bytes that are no text in a value",
            b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX-A: \xff\x80\r\n\r\ntext".to_vec(),
            Ok("text"),
        ),
        ("folded lines", with("X-A: a\r\n b\r\nX-B:\r\n\tc"), Ok("text")),
        (
            "a folded length",
            raw("HTTP/1.1 200 OK\r\nContent-Length:\r\n 4\r\n\r\ntext"),
            Ok("text"),
        ),
        (
            "a first line that is folded",
            raw("HTTP/1.1 200 OK\r\n X: 1\r\nContent-Length: 4\r\n\r\ntext"),
            Ok("text"),
        ),
        ("an empty value", with("X-A:\r\nX-B: "), Ok("text")),
        (
            "line ends without CR",
            raw("HTTP/1.1 200 OK\nContent-Length: 4\n\ntext"),
            Ok("text"),
        ),
        (
            "line ends of both kinds",
            raw("HTTP/1.1 200 OK\r\nContent-Length: 4\nX: 1\r\n\ntext"),
            Ok("text"),
        ),
        (
            "no reason",
            raw("HTTP/1.1 200\r\nContent-Length: 4\r\n\r\ntext"),
            Ok("text"),
        ),
        (
            "an empty reason",
            raw("HTTP/1.1 200 \r\nContent-Length: 4\r\n\r\ntext"),
            Ok("text"),
        ),
        (
            "a reason beyond ASCII",
            raw("HTTP/1.1 200 \u{e9}\r\nContent-Length: 4\r\n\r\ntext"),
            Ok("text"),
        ),
        (
            "empty lines before the status",
            raw("\r\n\r\n\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntext"),
            Ok("text"),
        ),
        ("400 fields", with(&many), Ok("text")),
        ("the same length twice", with("Content-Length: 4"), Ok("text")),
        (
            "a list of the same length",
            raw("HTTP/1.1 200 OK\r\nContent-Length: 4, 4\r\n\r\ntext"),
            Ok("text"),
        ),
        (
            "a length with zeros",
            raw("HTTP/1.1 200 OK\r\nContent-Length: 004\r\n\r\ntext"),
            Ok("text"),
        ),
        (
            "a length after a blank",
            raw("HTTP/1.1 200 OK\r\nContent-Length : 4\r\n\r\ntext"),
            Ok("text"),
        ),
        (
            "a response of HTTP/1.0",
            raw("HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\ntext"),
            Ok("text"),
        ),
        (
            "an interim response",
            raw("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntext"),
            Ok("text"),
        ),
        (
            "no length, and the end of the connection",
            raw("HTTP/1.1 200 OK\r\n\r\ntext"),
            Ok("text"),
        ),
        ("identity and a length", with("Transfer-Encoding: identity"), Ok("text")),
        (
            "a transfer coding that is none",
            with("Transfer-Encoding: utf-8"),
            Ok("text"),
        ),
        ("an empty transfer coding", with("Transfer-Encoding:"), Ok("text")),
        (
            "identity, and the end of the connection",
            raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\ntext"),
            Ok("text"),
        ),
        (
            "chunks",
            raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n4\r\ntext\r\n0\r\n\r\n"),
            Ok("text"),
        ),
        (
            "chunks after a blank",
            raw("HTTP/1.1 200 OK\r\nTransfer-Encoding : chunked\r\n\r\n4\r\ntext\r\n0\r\n\r\n"),
            Ok("text"),
        ),
        (
            "chunks with an extension",
            raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4 ;x=1\r\ntext\r\n0\r\n\r\n"),
            Ok("text"),
        ),
        ("NUL in a value", with("X-A: a\0b"), Err("protocol")),
        ("NUL in a name", with("X\0A: b"), Err("protocol")),
        ("CR in a value", with("X-A: a\rb"), Err("protocol")),
        (
            "a control character in the reason",
            raw("HTTP/1.1 200 O\x01K\r\nContent-Length: 4\r\n\r\ntext"),
            Err("protocol"),
        ),
        (
            "two blanks before the status",
            raw("HTTP/1.1  200 OK\r\nContent-Length: 4\r\n\r\ntext"),
            Err("protocol"),
        ),
        (
            "another protocol",
            raw("ICY 200 OK\r\nContent-Length: 4\r\n\r\ntext"),
            Err("protocol"),
        ),
        (
            "the protocol in lower case",
            raw("http/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntext"),
            Err("protocol"),
        ),
        (
            "another version",
            raw("HTTP/1.2 200 OK\r\nContent-Length: 4\r\n\r\ntext"),
            Err("protocol"),
        ),
        (
            "text before the status",
            raw("abcHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntext"),
            Err("protocol"),
        ),
        (
            "a status of two digits",
            raw("HTTP/1.1 20 OK\r\nContent-Length: 4\r\n\r\ntext"),
            Err("protocol"),
        ),
        ("800 fields", with(&format!("{many}\r\n{many}")), Err("protocol")),
        ("two lengths", with("Content-Length: 5"), Err("protocol")),
        (
            "a negative length",
            raw("HTTP/1.1 200 OK\r\nContent-Length: -4\r\n\r\ntext"),
            Err("protocol"),
        ),
        (
            "a length with a sign",
            raw("HTTP/1.1 200 OK\r\nContent-Length: +4\r\n\r\ntext"),
            Err("protocol"),
        ),
        (
            "chunked before identity",
            with("Transfer-Encoding: chunked, identity"),
            Err("protocol"),
        ),
        ("nearly chunked", with("Transfer-Encoding: xchunked"), Err("protocol")),
        (
            "chunks over HTTP/1.0",
            raw("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ntext\r\n0\r\n\r\n"),
            Err("protocol"),
        ),
        (
            "too little for identity, and the end of the connection",
            raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 5\r\n\r\ntext"),
            Err("interrupted"),
        ),
    ];
    let path = |number: usize, what: &str| {
        if what.contains("end of the connection") {
            format!("/{number}/close")
        } else {
            format!("/{number}")
        }
    };
    let answers = cases.iter().enumerate();
    let answers = answers.map(|(number, (what, answer, _))| (path(number, what), answer.clone()));
    let port = server(answers.collect());
    let fetcher = Fetcher::new(&settings(true), MemoryBudget::new(1 << 20)).unwrap();
    let mut wrong = Vec::new();
    for (number, (what, _, expected)) in cases.iter().enumerate() {
        let (found, next) = asked(&fetcher, port, &path(number, what)).await;
        if found.as_deref() != expected.as_deref() || next != "next" {
            wrong.push(format!("{what}: {found:?}, then {next:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn no_head_makes_one_response_two() {
    let chunks = format!("4\r\ntext\r\n0\r\n\r\n{FAKE}");
    let cases = [
        (
            "more than the length",
            format!("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntext{FAKE}"),
            Ok("text"),
        ),
        (
            "more than the length of identity",
            format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 4\r\n\r\ntext{FAKE}"),
            Ok("text"),
        ),
        (
            "a length of identity in an empty body",
            format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 0\r\n\r\n{FAKE}"),
            Ok(""),
        ),
        (
            "more than the chunks",
            format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}"),
            Ok("text"),
        ),
        (
            "chunks and a length",
            format!("HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}"),
            Ok("text"),
        ),
        (
            "chunks after a blank and a length",
            format!("HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding : chunked\r\n\r\n{chunks}"),
            Ok("text"),
        ),
        (
            "folded chunks and a length",
            format!("HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding:\r\n chunked\r\n\r\n{chunks}"),
            Ok("text"),
        ),
        (
            "a field of chunks that is skipped",
            format!("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nTransfer-Encoding\x01: chunked\r\n\r\ntext{FAKE}"),
            Ok("text"),
        ),
        (
            "a value of chunks that is skipped",
            format!("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\x01\r\n\r\ntext{FAKE}"),
            Ok("text"),
        ),
        (
            "no content",
            format!("HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\n{FAKE}"),
            Ok(""),
        ),
        (
            "not modified",
            format!("HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n{FAKE}"),
            Ok(""),
        ),
        (
            "two lengths",
            format!("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\ntext{FAKE}"),
            Err("protocol"),
        ),
        (
            "nearly chunked",
            format!("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nTransfer-Encoding: chunked, x\r\n\r\ntext{FAKE}"),
            Err("protocol"),
        ),
        (
            "a value with a line end of its own",
            format!("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX: a\r\rb\r\n\r\ntext{FAKE}"),
            Err("protocol"),
        ),
    ];
    let answers = cases
        .iter()
        .enumerate()
        .map(|(number, (_, answer, _))| (format!("/{number}"), raw(answer)));
    let port = server(answers.collect());
    let fetcher = Fetcher::new(&settings(true), MemoryBudget::new(1 << 20)).unwrap();
    for (number, (what, _, expected)) in cases.iter().enumerate() {
        let (found, next) = asked(&fetcher, port, &format!("/{number}")).await;
        assert_eq!(found.as_deref(), expected.as_deref(), "{what}");
        assert_eq!(next, "next", "{what}");
    }
}

#[tokio::test]
async fn the_fields_around_a_bad_line_keep_their_values() {
    let lines = "Content-Type: text/html;\r\n charset=utf-8\r\nX Bad: 1\r\n more of it\r\nX-Other : 1\r\nX-Control: \x01\r\nLast: 2";
    let port = server(vec![("/".to_owned(), with(lines))]);
    let fetcher = Fetcher::new(&settings(true), MemoryBudget::new(1 << 20)).unwrap();
    let url = Url::parse(&format!("http://127.0.0.1:{port}/")).unwrap();
    let headers = fetcher.get(&url, Wanted::Robots).await.unwrap().headers;
    assert_eq!(headers[CONTENT_TYPE], "text/html; charset=utf-8");
    assert!(headers["x-other"] == "1" && headers["last"] == "2");
    assert_eq!(headers.len(), 4, "{headers:?}");
}
