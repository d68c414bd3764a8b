//! The courier `http` keeps what every courier promises, with answers in the response and with answers by callback.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use baton_courier::conformance::{Behaviour, Harness, check};
use baton_courier::{Courier, Delivery, Key, Limits};

use super::server::{Calling, Request, Server};
use crate::bench::{Bench, PATIENCE};

/// Time of a receiver's answer.
#[derive(Clone, Copy, PartialEq)]
enum When {
    AtOnce,
    Later,
}

/// State of deliveries, by key.
#[derive(Default)]
struct Known {
    let_go: Vec<String>,
    closed: Vec<String>,
    callbacks: HashMap<String, (String, String)>,
}

#[derive(Default)]
struct Shared {
    known: Mutex<Known>,
    changed: Condvar,
}

impl Shared {
    fn set(&self, change: impl FnOnce(&mut Known)) {
        change(&mut self.known.lock().unwrap());
        self.changed.notify_all();
    }

    fn wait(&self, within: Duration, holds: impl Fn(&Known) -> bool) -> bool {
        let known = self.known.lock().unwrap();
        let (known, _) = self.changed.wait_timeout_while(known, within, |known| !holds(known)).unwrap();
        holds(&known)
    }
}

struct Hooks {
    bench: Bench,
    server: Server,
    when: When,
    shared: Arc<Shared>,
}

impl Hooks {
    fn new(when: When) -> Self {
        let shared = Arc::new(Shared::default());
        let inside = Arc::clone(&shared);
        let server = Server::start(move |request| behave(&request, when, &inside));
        Self { bench: Bench::new(), server, when, shared }
    }
}

fn behave(request: &Request, when: When, shared: &Shared) {
    let (key, behaviour) = (request.text("key"), request.text("receiver"));
    let handoff = request.text("handoff").into_bytes();
    let callback = request.callback();
    shared.set(|known| drop(known.callbacks.insert(key.clone(), callback.clone())));
    if behaviour == "Flood" {
        let status = if when == When::AtOnce { "200 OK" } else { "202 Accepted" };
        request.say(format!("HTTP/1.1 {status}\r\nTransfer-Encoding: chunked\r\n\r\n").as_bytes());
        let chunk = format!("10000\r\n{}\r\n", "y".repeat(0x10000));
        while std::io::Write::write_all(&mut &request.stream, chunk.as_bytes()).is_ok() {}
        return;
    }
    if when == When::Later {
        request.answer("202 Accepted", b"at work\n");
    }
    if behaviour == "Wait" {
        shared.wait(PATIENCE, |known| known.let_go.contains(&key));
    }
    let failed = (callback.0.clone(), format!("{}/failed", callback.1));
    match (when, behaviour.as_str()) {
        (When::AtOnce, "Echo" | "Wait") => request.answer("200 OK", &handoff),
        (When::AtOnce, "Fail") => request.answer("500 Internal Server Error", b"this went wrong\n"),
        (When::AtOnce, "Silence") => request.answer("200 OK", b""),
        (When::AtOnce, "CutOff") => {
            request.say(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf an answer");
            request.cut();
        }
        (When::AtOnce, _) => {
            request.until_closed();
            shared.set(|known| known.closed.push(key));
        }
        (When::Later, "Echo" | "Wait") => drop(Calling::new(callback, &handoff).call()),
        (When::Later, "Fail") => drop(Calling::new(failed, b"this went wrong\n").call()),
        (When::Later, "Silence") => drop(Calling::new(callback, b"").call()),
        (When::Later, "CutOff") => {
            let calling = Calling::new(callback, b"half an answer");
            let head = calling.head().replace("Content-Length: 14", "Content-Length: 100");
            assert_eq!(calling.call_raw(format!("{head}half an answer").as_bytes()), 400);
            Calling::new(failed, b"the line is bad\n").call();
        }
        (When::Later, _) => {}
    }
}

impl Harness for Hooks {
    fn courier(&self) -> Arc<dyn Courier> {
        Arc::new(self.server.courier())
    }

    fn delivery(&self, key: &Key, behaviour: Behaviour) -> Delivery {
        // Far more than the suite waits, so that nothing ends because its time is over.
        let limits = Limits { time_max: 10 * PATIENCE, ..Limits::default() };
        Delivery { key: key.clone(), receiver: format!("{behaviour:?}"), limits, ..self.bench.delivery() }
    }

    fn let_go(&self, key: &Key) {
        self.shared.set(|known| known.let_go.push(key.to_string()));
    }

    fn is_gone(&self, key: &Key, within: Duration) -> bool {
        if self.when == When::AtOnce {
            return self.shared.wait(within, |known| {
                // Without a callback it was ended before it came that far.
                !known.callbacks.contains_key(key.as_str())
                    || known.closed.iter().any(|closed| closed == key.as_str())
            });
        }
        let callback = self.shared.known.lock().unwrap().callbacks.get(key.as_str()).cloned();
        // An answer that comes now is not taken any more.
        callback.is_none_or(|callback| [0, 410].contains(&Calling::new(callback, b"late").call()))
    }
}

fn conforms(when: When) {
    // proves S-06
    if let Err(broken) = check(&Hooks::new(when)) {
        panic!("{broken}");
    }
}

#[test]
fn a_receiver_that_answers_at_once_conforms() {
    conforms(When::AtOnce);
}

#[test]
fn a_receiver_that_calls_back_conforms() {
    conforms(When::Later);
}
