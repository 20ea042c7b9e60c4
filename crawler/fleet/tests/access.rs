//! What a server demands, and what the user should know of it.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fleet::{Fleet, FleetError, JoinOptions};
use support::{Server, beat, options, worker};

/// What joining says, and that it says so at once.
async fn refusal(address: &str) -> String {
    let began = Instant::now();
    let error = Fleet::join(options(address, 1)).await.map(drop).unwrap_err();
    assert!(
        began.elapsed() < Duration::from_secs(8),
        "{:?}: {error}",
        began.elapsed()
    );
    assert!(matches!(error, FleetError::Refused { .. }), "{error}");
    error.to_string()
}

#[tokio::test]
async fn a_wrong_password_is_told_at_once() {
    let server = Server::start(&[]);
    server.ask(&["ACL", "SETUSER", "me", "on", ">right", "~*", "+@all"]);
    server.ask(&["ACL", "SETUSER", "reader", "on", ">right", "~*", "+@read", "+cluster"]);
    let port = server.port;
    let of = |user: &str| format!("redis://{user}127.0.0.1:{port}");
    let told = refusal(&of("me:wrong@")).await;
    assert!(
        told.contains("authentication failed") && !told.contains("wrong@"),
        "{told}"
    );
    let told = refusal(&of("nobody:right@")).await;
    assert!(told.contains("user and password"), "{told}");
    let told = refusal(&of("reader:right@")).await;
    assert!(told.contains("permission"), "{told}");
    assert_eq!(worker(&of("me:right@"), 1).await.worker().0, 1);
    // From now on, nobody without a password.
    server.ask(&["ACL", "SETUSER", "default", "off"]);
    let told = refusal(&of("")).await;
    assert!(told.contains("NOAUTH") || told.contains("user and password"), "{told}");
}

#[tokio::test]
async fn settings_with_which_a_crawl_is_lost_are_named() {
    let careless = Server::start(&["--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"]);
    let cautions = worker(&careless.address(), 1).await.cautions().await.unwrap();
    assert_eq!(cautions.len(), 2, "{cautions:?}");
    assert!(
        cautions[0].contains("allkeys-lru") && cautions[1].contains("appendonly yes"),
        "{cautions:?}"
    );
    // Who may not ask for the settings is not warned, and not refused.
    careless.ask(&["ACL", "SETUSER", "me", "on", ">pw", "~*", "+@all", "-config", "-info"]);
    let address = format!("redis://me:pw@127.0.0.1:{}", careless.port);
    assert_eq!(
        worker(&address, 1).await.cautions().await.unwrap(),
        Vec::<String>::new()
    );
    let careful = Server::start(&["--maxmemory", "100mb", "--appendonly", "yes"]);
    assert_eq!(
        worker(&careful.address(), 1).await.cautions().await.unwrap(),
        Vec::<String>::new()
    );
}

/// An authority, and a certificate that it has signed for 127.0.0.1.
fn certificates(folder: &Path) {
    let openssl = |arguments: &[&str]| {
        let status = Command::new("openssl")
            .args(arguments)
            .current_dir(folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert!(status.expect("openssl is needed").success(), "{arguments:?}");
    };
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    let authority = [
        "req",
        "-x509",
        "-days",
        "2",
        "-subj",
        "/CN=authority",
        "-keyout",
        "ca.key",
        "-out",
        "ca.pem",
    ];
    openssl(&[&authority[..], &key].concat());
    openssl(
        &[
            &[
                "req",
                "-subj",
                "/CN=server",
                "-keyout",
                "server.key",
                "-out",
                "server.csr",
            ][..],
            &key,
        ]
        .concat(),
    );
    std::fs::write(
        folder.join("names"),
        "subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n",
    )
    .unwrap();
    let signed = [
        "x509",
        "-req",
        "-days",
        "2",
        "-CA",
        "ca.pem",
        "-CAkey",
        "ca.key",
        "-CAcreateserial",
        "-extfile",
        "names",
    ];
    openssl(&[&signed[..], &["-in", "server.csr", "-out", "server.pem"]].concat());
}

#[tokio::test]
async fn connections_are_encrypted_and_the_server_is_known_by_its_certificate() {
    let folder = tempfile::tempdir().unwrap();
    certificates(folder.path());
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let (port_text, ca, cert, key) = (port.to_string(), file("ca.pem"), file("server.pem"), file("server.key"));
    let tls = [
        "--tls-port",
        &port_text,
        "--tls-ca-cert-file",
        &ca,
        "--tls-cert-file",
        &cert,
        "--tls-key-file",
        &key,
    ];
    let server = Server::start(&[&tls[..], &["--tls-auth-clients", "optional"]].concat());
    let fleet = worker(&format!("rediss://127.0.0.1:{port}?ca={ca}"), 1).await;
    assert_eq!(fleet.acquire(16, &[]).await.unwrap().len(), 16);
    beat(&fleet).await;
    // Without the authority, the certificate is worth nothing, and the user is told what to do.
    let told = refusal(&format!("rediss://127.0.0.1:{port}")).await;
    assert!(told.contains("certificate") && told.contains("ca=FILE"), "{told}");
    // A server that wants to know the worker gets its certificate.
    server.ask(&["CONFIG", "SET", "tls-auth-clients", "yes"]);
    let address = format!("rediss://127.0.0.1:{port}?ca={ca}&cert={cert}&key={key}");
    assert_eq!(worker(&address, 2).await.worker().0, 2);
    let short = JoinOptions {
        patience: Duration::from_millis(500),
        ..options(&format!("rediss://127.0.0.1:{port}?ca={ca}"), 3)
    };
    assert!(Fleet::join(short).await.is_err());
}
