//! Requests, and the result of each way in which one can end.

use std::net::TcpListener;
use std::time::Duration;

use baton_courier::http::{Hook, HttpCourier, Stamp};
use baton_courier::{Again, Cause, Courier as _, Delivery, Failure, Fault, Finalization, Key, Kind, Limits};

use super::server::{Request, Server, courier, next_request, now_s, secrets, started};
use crate::bench::{Bench, Told};

/// Failure of a delivery to a receiver with this behaviour.
fn failed(hear: impl Fn(&Request) + Send + Sync + 'static) -> Failure {
    let bench = Bench::new();
    let limits = Limits { answer_bytes_max: 1000, ..bench.delivery().limits };
    let told = Server::start(move |request| hear(&request)).deliver(Delivery { limits, ..bench.delivery() });
    let failure = told.failure().clone();
    let all = format!("{failure:?}");
    assert!(!all.contains("hunter2") && !all.contains("whsec_"), "{all}");
    failure
}

// proves S-05: a repeat has the same id, by which the receiver knows it.
#[test]
fn a_delivery_is_signed_and_a_repeat_has_the_same_id() {
    let bench = Bench::new();
    let (server, requests) = Server::with_requests();
    let courier = server.courier();
    assert_eq!(courier.kind(), Kind::Idempotent);
    let delivery = Delivery { prompt: Some("Be brief.".to_owned()), ..bench.delivery() };
    for attempt in [1, 2] {
        let received = started(&courier, Delivery { attempt, ..delivery.clone() });
        let request = next_request(&requests);
        assert_eq!(request.path, "/hook?key=hunter2");
        assert_eq!(request.field("webhook-id"), "run-1/step%202");
        assert_eq!(request.field("content-type"), "application/json");
        let stamp = Stamp {
            id: request.field("webhook-id"),
            time: request.field("webhook-timestamp"),
            signature: request.field("webhook-signature"),
        };
        assert_eq!(secrets().verify(&stamp, &request.body, now_s()), Ok(()));
        let said = request.json();
        assert_eq!(
            (said["key"].as_str(), said["attempt"].as_u64()),
            (Some("run-1/step 2"), Some(attempt.into()))
        );
        assert_eq!((said["receiver"].as_str(), said["dialect"].as_str()), (Some("coder"), Some("exchange")));
        assert_eq!(said["handoff"].as_str(), Some("{\"task_id\": \"t-1\"}\n"));
        assert_eq!(said["prompt"].as_str(), Some("Be brief."));
        request.answer("503 Service Unavailable", b"");
        let told = Told::all(&received);
        assert_eq!(told.failure().cause, Cause::Status(503));
    }
}

#[test]
fn what_could_not_be_taken_is_asked_for_again_under_another_id() {
    let bench = Bench::new();
    let (server, requests) = Server::with_requests();
    let courier = server.courier();
    let schema = "{\"type\":\"object\"}".to_owned();
    let finalization = Some(Finalization { prompt: "Hand off.".to_owned(), schema });
    let delivery = Delivery { attempt: 3, is_reask: true, finalization, ..bench.delivery() };
    let received = started(&courier, delivery);
    let request = next_request(&requests);
    assert_eq!(request.field("webhook-id"), "run-1/step%202/again-3");
    let said = request.json();
    assert_eq!(said["reask"].as_bool(), Some(true));
    assert_eq!(said["finalization"]["schema"]["type"].as_str(), Some("object"));
    request.answer("200 OK", b"mended");
    assert_eq!(Told::all(&received).text(), "mended");
}

#[test]
fn statuses_say_whether_to_try_again() {
    let refused =
        |status: &'static str| failed(move |request| request.answer(status, b"\nbecause of this\n"));
    for (status, again) in [
        ("301 Moved Permanently", Again::Pointless),
        ("302 Found", Again::Pointless),
        ("400 Bad Request", Again::Pointless),
        ("401 Unauthorized", Again::Pointless),
        ("404 Not Found", Again::Pointless),
        ("408 Request Timeout", Again::MayHelp),
        ("409 Conflict", Again::MayHelp),
        ("413 Content Too Large", Again::Pointless),
        ("429 Too Many Requests", Again::MayHelp),
        ("500 Internal Server Error", Again::MayHelp),
        ("503 Service Unavailable", Again::MayHelp),
    ] {
        let failure = refused(status);
        assert_eq!((failure.cause.again(), failure.cause.fault()), (again, Fault::Agent), "{status}");
        let expected = format!("/hook answered with status {}: because of this", &status[..3]);
        assert!(failure.message.ends_with(&expected), "{failure}");
        assert_eq!(failure.last_words, b"\nbecause of this\n");
    }
}

#[test]
fn redirects_are_not_followed() {
    let bench = Bench::new();
    let (elsewhere, requests) = Server::with_requests();
    let url = elsewhere.url();
    let server = Server::start(move |request| {
        let head = format!("HTTP/1.1 307 Temporary Redirect\r\nLocation: {url}\r\nContent-Length: 0\r\n\r\n");
        request.say(head.as_bytes());
    });
    let told = server.deliver(bench.delivery());
    assert_eq!(told.failure().cause, Cause::Status(307));
    assert!(told.failure().hint.as_deref().is_some_and(|hint| hint.contains("not followed")));
    assert!(requests.try_recv().is_err());
}

#[test]
fn only_what_came_whole_is_taken() {
    let raw = |bytes: &'static str| {
        failed(move |request| {
            request.say(bytes.as_bytes());
            request.cut();
        })
    };
    for bytes in [
        "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\nhalf",
        "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nwho knows",
        "HTTP/1.1 200 OK\r\nContent-",
        "HTTP/1.1 two hundred\r\n\r\n",
        "never heard of HTTP\n",
        "",
    ] {
        assert_eq!(raw(bytes).cause, Cause::Unreachable, "{bytes:?}");
    }
    let whole = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n5\r\n more\r\n0\r\n\r\n";
    let told = Server::start(move |request| request.say(whole.as_bytes())).deliver(Bench::new().delivery());
    assert_eq!(told.text(), "half more");
}

#[test]
fn nothing_is_no_answer_and_too_much_is_none_either() {
    assert_eq!(failed(|request| request.answer("200 OK", b" \n")).cause, Cause::Empty);
    assert_eq!(failed(|request| request.say(b"HTTP/1.1 204 No Content\r\n\r\n")).cause, Cause::Empty);
    let failure = failed(|request| request.answer("200 OK", &[b'x'; 1001]));
    assert_eq!(failure.cause, Cause::TooMuch);
    assert!(failure.message.ends_with("has more than 1000 bytes and is not used"), "{failure}");
    let long = failed(|request| {
        let head = format!("HTTP/1.1 200 OK\r\nX-Long: {}\r\n\r\n", "x".repeat(200_000));
        request.say(head.as_bytes());
    });
    assert_eq!(long.cause, Cause::Unreachable);
}

#[test]
fn a_response_that_drips_is_ended_when_its_time_is_up() {
    let bench = Bench::new();
    let server = Server::start(|request| {
        request.say(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
        while std::io::Write::write_all(&mut &request.stream, b"x").is_ok() {
            std::thread::yield_now();
        }
    });
    let limits =
        Limits { time_max: Duration::from_millis(300), answer_bytes_max: usize::MAX, ..Limits::default() };
    let told = server.deliver(Delivery { limits, ..bench.delivery() });
    assert_eq!(told.failure().cause, Cause::TimeUp);
}

#[test]
fn who_is_not_there_is_told_with_what_would_help() {
    let bench = Bench::new();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let gone = courier(&format!("http://127.0.0.1:{port}/hook"));
    let told = Told::all(&started(&gone, bench.delivery()));
    assert_eq!(told.failure().cause, Cause::Unreachable);
    assert_eq!(told.failure().cause.again(), Again::MayHelp);
    assert!(told.failure().hint.as_deref().is_some_and(|hint| hint.contains("nobody listens there")));
    // A server without TLS.
    let server = Server::start(|request| request.cut());
    let told = Told::all(&started(&courier(&server.url().replace("http:", "https:")), bench.delivery()));
    assert_eq!(told.failure().cause, Cause::Unreachable);
}

#[test]
fn without_a_secret_nothing_is_sent() {
    let bench = Bench::new();
    let (server, requests) = Server::with_requests();
    let hook = Hook::new(&server.url(), "HOOK_SECRET", None).unwrap();
    let told = Told::all(&started(&HttpCourier::new(hook), bench.delivery()));
    assert_eq!((told.failure().cause, told.failure().cause.again()), (Cause::Missing, Again::Pointless));
    assert!(told.failure().message.contains("HOOK_SECRET"));
    let handoff = vec![0xff, 0xfe];
    let told = server.deliver(Delivery { key: Key::from("bytes"), handoff, ..bench.delivery() });
    assert_eq!(told.failure().cause, Cause::Impossible);
    assert!(requests.try_recv().is_err());
}
