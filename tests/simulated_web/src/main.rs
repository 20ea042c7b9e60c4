//! A web of many hosts that follows from a seed, for `tests/long_crawl`. Each host is an address of 127.0.0.0/8.
//!
//! ```text
//! simulated_web SEED HOSTS DEAD_PORT < the socket that listens
//! ```
//!
//! 127.0.0.1 is no host: `/tally` there says what was asked since the start, `/mark` begins the count of what is asked again.
//!
//! - `random`: numbers by a seed; `words`: languages and texts; `world`: what each host is; `page`: what it answers; `tally`: what was asked

mod page;
mod random;
mod tally;
mod words;
mod world;

use std::cell::RefCell;
use std::io;
use std::net::{IpAddr, TcpListener as Listener};
use std::os::fd::AsFd;
use std::rc::Rc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{LocalSet, spawn_local};
use tokio::time::sleep;

use random::Random;
use tally::Tally;
use world::{Manner, World, number_of};

/// Longest head of a request.
const MAX_HEAD_BYTES: usize = 16 * 1024;
/// Styles and scripts, of which each host shows a part.
const MARKUP_BYTES: usize = 64 * 1024;
/// Spread of the times of a host, and the longest.
const DELAY_SIGMA: f64 = 0.6;
const MAX_DELAY_MS: f64 = 20_000.0;

/// What every connection reads.
struct Server {
    world: World,
    markup: String,
    tally: RefCell<Tally>,
    random: RefCell<Random>,
}

fn main() -> io::Result<()> {
    let numbers: Vec<u64> = std::env::args()
        .skip(1)
        .filter_map(|argument| argument.parse().ok())
        .collect();
    let [seed, hosts, dead_port] = numbers[..] else {
        eprintln!("simulated_web SEED HOSTS DEAD_PORT < LISTENER");
        std::process::exit(2);
    };
    let listener = Listener::from(io::stdin().as_fd().try_clone_to_owned()?);
    listener.set_nonblocking(true)?;
    let world = World {
        seed,
        hosts,
        port: listener.local_addr()?.port(),
        dead_port: dead_port as u16,
    };
    let server = Rc::new(Server {
        markup: markup(seed),
        world,
        tally: RefCell::default(),
        random: RefCell::new(Random::of(&[seed, 10])),
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, serve(server, listener))
}

/// Text that looks like styles and scripts to a parser that passes over them.
fn markup(seed: u64) -> String {
    let mut random = Random::of(&[seed, 11]);
    let mut text = String::new();
    while text.len() < MARKUP_BYTES {
        // As repetitive as real ones: few values, of which one is new.
        let (class, size) = (random.below(200), random.below(8));
        text.push_str(&format!(
            ".menu .item-{class}{{margin:{size}px auto;padding:{size}px;color:#333;display:block}}\n"
        ));
    }
    text
}

async fn serve(server: Rc<Server>, listener: Listener) -> io::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Too many open files: those that are open end soon.
            sleep(Duration::from_millis(20)).await;
            continue;
        };
        let server = Rc::clone(&server);
        spawn_local(async move {
            // A client may leave at any time.
            let _ = converse(&server, stream).await;
        });
    }
}

/// Answers the requests of one connection.
async fn converse(server: &Server, mut stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let IpAddr::V4(address) = stream.local_addr()?.ip() else {
        return Ok(());
    };
    let host = number_of(address.octets());
    let mut received = Vec::new();
    while let Some(target) = next_target(&mut stream, &mut received).await? {
        let answer = match host {
            None => server.tally.borrow_mut().control(&target),
            Some(number) => match reply(server, number, &target).await {
                Some(answer) => answer,
                None => return wait_for_end(&mut stream).await,
            },
        };
        stream.write_all(&answer).await?;
    }
    Ok(())
}

/// The target of the next request; `None` if the client has left.
async fn next_target(stream: &mut TcpStream, received: &mut Vec<u8>) -> io::Result<Option<String>> {
    received.clear();
    while !received.ends_with(b"\r\n\r\n") {
        if received.len() > MAX_HEAD_BYTES || stream.read_buf(received).await? == 0 {
            return Ok(None);
        }
    }
    let line = received.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
    Ok(Some(String::from_utf8_lossy(line).into_owned()))
}

async fn wait_for_end(stream: &mut TcpStream) -> io::Result<()> {
    let mut rest = [0; 1_024];
    while stream.read(&mut rest).await? > 0 {}
    Ok(())
}

/// The bytes of the answer, after its delay; `None` if there is none.
async fn reply(server: &Server, number: u64, target: &str) -> Option<Vec<u8>> {
    let host = server.world.host(number);
    server.tally.borrow_mut().note(number, target);
    if host.manner == Manner::Silent || number >= server.world.hosts {
        return None;
    }
    let delay_ms = server
        .random
        .borrow_mut()
        .log_normal(host.median_ms, DELAY_SIGMA)
        .min(MAX_DELAY_MS);
    sleep(Duration::from_secs_f64(delay_ms / 1e3)).await;
    let answer = page::answer(&server.world, &host, target, &server.markup);
    server.tally.borrow_mut().bytes += answer.body.len() as u64;
    let location = answer
        .location
        .map_or(String::new(), |to| format!("Location: {to}\r\n"));
    let head = format!(
        "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{location}\r\n",
        answer.status,
        answer.media_type,
        answer.body.len()
    );
    let mut bytes = head.into_bytes();
    bytes.extend_from_slice(answer.body.as_bytes());
    Some(bytes)
}
