//! Callers that take what the listener for callbacks has: places, time, memory. The receiver still gets through.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::thread;
use std::time::{Duration, Instant};

use baton_courier::Report;
use baton_courier::http::HttpCourier;
use rustix::net::{AddressFamily, SocketType, bind, connect, socket};

use super::server::{Calling, Request, Server, next_request, started};
use crate::bench::{Bench, PATIENCE, Told};

/// A delivery that waits for its callback.
struct Waiting {
    calling: Calling,
    received: Receiver<Report>,
    _request: Request,
    _courier: HttpCourier,
    _bench: Bench,
}

impl Waiting {
    fn new() -> Self {
        let bench = Bench::new();
        let (server, requests) = Server::with_requests();
        let courier = server.courier();
        let received = started(&courier, bench.delivery());
        let request = next_request(&requests);
        request.answer("202 Accepted", b"");
        let calling = Calling::new(request.callback(), b"the answer");
        Self { calling, received, _request: request, _courier: courier, _bench: bench }
    }

    fn address(&self) -> SocketAddr {
        self.calling.url.split('/').nth(2).unwrap().parse().unwrap()
    }

    fn from(&self, peer: [u8; 4]) -> TcpStream {
        connected(peer, self.address())
    }

    fn is_answered(&self) {
        assert_eq!(self.calling.call(), 200);
        assert_eq!(Told::all(&self.received).text(), "the answer");
    }
}

/// A connection from another address of the loopback.
fn connected(peer: [u8; 4], to: SocketAddr) -> TcpStream {
    let stream = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    bind(&stream, &SocketAddr::from((Ipv4Addr::from(peer), 0))).unwrap();
    connect(&stream, &to).unwrap();
    TcpStream::from(stream)
}

/// Threads of the listener in this process.
fn guests() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let names = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok());
    names.filter(|name| name.trim() == "baton-callback").count()
}

/// Response until the connection ends, and the time it took.
fn until_closed(mut stream: TcpStream) -> (String, Duration) {
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let (began, mut said) = (Instant::now(), Vec::new());
    // A connection that is cut ends too.
    let _ = stream.read_to_end(&mut said);
    (String::from_utf8_lossy(&said).into_owned(), began.elapsed())
}

#[test]
fn one_peer_does_not_take_all_places() {
    // proves S-06
    let waiting = Waiting::new();
    let lingering: Vec<TcpStream> = (0..300).map(|_| waiting.from([127, 0, 0, 2])).collect();
    let threads = guests();
    assert!(threads <= 64, "{threads} threads");
    waiting.is_answered();
    drop(lingering);
}

#[test]
fn a_crowd_of_peers_does_not_take_all_places() {
    // proves S-06
    let waiting = Waiting::new();
    let lingering: Vec<TcpStream> = (2..=201).map(|last| waiting.from([127, 0, 1, last])).collect();
    let threads = guests();
    assert!(threads <= 64, "{threads} threads");
    waiting.is_answered();
    drop(lingering);
}

#[test]
fn whoever_lingers_at_the_same_address_makes_room() {
    // proves S-06
    let waiting = Waiting::new();
    let lingering: Vec<TcpStream> = (0..300).map(|_| waiting.from([127, 0, 0, 1])).collect();
    waiting.is_answered();
    drop(lingering);
}

#[test]
fn others_get_through_while_one_peer_floods() {
    // proves S-06
    let waiting = Waiting::new();
    let (is_over, address) = (AtomicBool::new(false), waiting.address());
    thread::scope(|scope| {
        let is_over = &is_over;
        scope.spawn(move || {
            let mut lingering = Vec::new();
            while !is_over.load(Ordering::Relaxed) {
                let mut stream = connected([127, 0, 0, 2], address);
                let _ = stream.write_all(b"POST / HTTP/1.1\r\na: b\r\n");
                lingering.push(stream);
                if lingering.len() > 500 {
                    lingering.clear();
                }
            }
        });
        let unsigned = Calling { signature: String::new(), ..waiting.calling.clone() };
        let statuses: Vec<u16> = (0..50).map(|_| unsigned.call()).collect();
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(statuses, [401; 50]);
    });
    waiting.is_answered();
}

#[test]
fn a_head_that_comes_byte_by_byte_is_cut_off() {
    // proves S-06
    let waiting = Waiting::new();
    let stream = waiting.from([127, 0, 0, 2]);
    let head = waiting.calling.head();
    let mut writing = stream.try_clone().unwrap();
    let writer = thread::spawn(move || {
        // Each byte comes long before any one read would time out.
        for byte in head.bytes().take(200) {
            if writing.write_all(&[byte]).is_err() {
                return;
            }
            thread::sleep(Duration::from_millis(100));
        }
    });
    let (said, taken) = until_closed(stream);
    assert!(said.starts_with("HTTP/1.1 408 "), "{said}");
    assert!(taken < Duration::from_secs(15), "{taken:?}");
    writer.join().unwrap();
    waiting.is_answered();
}

#[test]
fn bodies_that_do_not_come_keep_no_answer_out() {
    // proves S-06
    let waiting = Waiting::new();
    let head = waiting.calling.head();
    let stalled: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut stream = waiting.from([127, 0, 0, 2]);
            // One that made room for a later one hears of it here.
            let _ = stream.write_all(head.as_bytes());
            stream
        })
        .collect();
    assert!(guests() <= 64);
    waiting.is_answered();
    drop(stalled);
}

#[test]
fn a_head_of_many_fields_or_long_ones_is_refused() {
    // proves S-06
    let waiting = Waiting::new();
    let lines = "a: b\r\n".repeat(65);
    let long = format!("a: {}\r\n", "b".repeat(20_000));
    for fields in [lines, long] {
        let mut stream = waiting.from([127, 0, 0, 2]);
        let _ = stream.write_all(format!("POST / HTTP/1.1\r\n{fields}\r\n").as_bytes());
        let (said, _) = until_closed(stream);
        assert!(said.starts_with("HTTP/1.1 431 "), "{said}");
    }
    waiting.is_answered();
}

#[test]
fn a_connection_is_good_for_one_call() {
    // proves S-06
    let waiting = Waiting::new();
    let mut stream = waiting.from([127, 0, 0, 2]);
    let call = "POST /answers/none HTTP/1.1\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n";
    stream.write_all(call.repeat(50).as_bytes()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let (said, _) = until_closed(stream);
    assert_eq!(said.matches("HTTP/1.1 ").count(), 1, "{said}");
    assert!(said.contains("connection: close"), "{said}");
    waiting.is_answered();
}
