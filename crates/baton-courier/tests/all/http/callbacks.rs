//! Callbacks that count as an answer, and those that do not.

use std::io::Write as _;
use std::net::TcpStream;

use baton_courier::http::Secrets;
use baton_courier::{Cause, Courier as _, Delivery, Key, Limits, What};
use proptest::prelude::*;

use super::server::{Calling, Server, next_request, now_s, started};
use crate::bench::{Bench, Told, next};

/// A delivery that waits for its callback, and what becomes of it when it got these calls.
fn called(calls: impl FnOnce((String, String)) -> Vec<(u16, Calling)>) -> Told {
    let bench = Bench::new();
    let (server, requests) = Server::with_requests();
    let courier = server.courier();
    let limits = Limits { answer_bytes_max: 1000, ..bench.delivery().limits };
    let received = started(&courier, Delivery { limits, ..bench.delivery() });
    let request = next_request(&requests);
    request.answer("202 Accepted", b"");
    for (number, (status, calling)) in calls(request.callback()).into_iter().enumerate() {
        assert_eq!(calling.call(), status, "call {number}");
    }
    Told::all(&received)
}

// proves S-06
#[test]
fn only_a_callback_with_the_secret_at_its_time_for_this_attempt_is_taken() {
    let told = called(|callback| {
        let good = Calling::new(callback, b"the answer");
        let stranger = Secrets::read(&format!("whsec_{}", "A".repeat(40))).unwrap();
        let old = Calling { time: (now_s() - 301).to_string(), ..good.clone() };
        let early = Calling { time: (now_s() + 400).to_string(), ..good.clone() };
        let secrets = super::server::secrets();
        vec![
            (401, Calling { body: b"another one".to_vec(), ..good.clone() }),
            (401, Calling { signature: String::new(), ..good.clone() }),
            (401, Calling { signature: good.signature.replace("v1,", "v2,"), ..good.clone() }),
            (401, good.clone().signed(&stranger)),
            (401, old.signed(&secrets)),
            (401, early.signed(&secrets)),
            (401, Calling { time: "soon".to_owned(), ..good.clone() }),
            (401, Calling { id: "answer_0".to_owned(), ..good.clone() }.signed(&secrets)),
            (401, Calling { id: format!("{}/failed", good.id), ..good.clone() }),
            (410, Calling { url: format!("{}0", good.url), ..good.clone() }),
            (410, Calling { url: good.url.replace("answers", "other"), ..good.clone() }),
            (405, Calling { method: "PUT", ..good.clone() }),
            (411, Calling { length: Some("X-None: 1".to_owned()), ..good.clone() }),
            (411, Calling { length: Some("Transfer-Encoding: chunked".to_owned()), ..good.clone() }),
            (
                400,
                Calling {
                    length: Some("Content-Length: 10\r\nContent-Length: 10".to_owned()),
                    ..good.clone()
                },
            ),
            (400, Calling { length: Some("Content-Length: -1".to_owned()), ..good.clone() }),
            (400, Calling { length: Some("Content-Length: 11".to_owned()), ..good.clone() }),
            (413, Calling { body: vec![b'x'; 1001], ..good.clone() }.signed(&secrets)),
            (431, Calling { id: "x".repeat(20_000), ..good.clone() }),
            (200, good.clone()),
            // The same once more is a replay, or the repeat of a receiver that did not hear the first answer.
            (410, good),
        ]
    });
    assert_eq!(told.text(), "the answer");
}

#[test]
fn the_answer_to_one_attempt_is_not_taken_for_another() {
    let bench = Bench::new();
    let (server, requests) = Server::with_requests();
    let courier = server.courier();
    let first = started(&courier, bench.delivery());
    let request = next_request(&requests);
    request.answer("202 Accepted", b"");
    let captured = Calling::new(request.callback(), b"old");
    courier.stop(&bench.delivery().key);
    assert_eq!(Told::all(&first).failure().cause, Cause::Stopped);
    let second = started(&courier, Delivery { attempt: 2, ..bench.delivery() });
    let request = next_request(&requests);
    request.answer("202 Accepted", b"");
    // The whole message is as it was signed, and its time is right; only the attempt is another one.
    assert_eq!(captured.call(), 410);
    let (url, _) = request.callback();
    assert_eq!(Calling { url, ..captured }.call(), 401);
    assert_eq!(Calling::new(request.callback(), b"new").call(), 200);
    assert_eq!(Told::all(&second).text(), "new");
}

#[test]
fn a_receiver_can_call_back_before_it_has_accepted() {
    let bench = Bench::new();
    let (server, requests) = Server::with_requests();
    let courier = server.courier();
    let received = started(&courier, bench.delivery());
    let request = next_request(&requests);
    assert_eq!(Calling::new(request.callback(), b"done").call(), 200);
    assert_eq!(Told::all(&received).text(), "done");
    request.until_closed();
}

#[test]
fn a_receiver_can_say_that_it_failed() {
    let told = called(|(url, id)| {
        vec![(200, Calling::new((url, format!("{id}/failed")), b"no model answers\nsince noon"))]
    });
    let failure = told.failure();
    assert_eq!(failure.cause, Cause::Failed);
    assert!(failure.message.ends_with("called back to say that it failed: no model answers"), "{failure}");
    assert_eq!(failure.last_words, b"no model answers\nsince noon");
}

#[test]
fn a_large_answer_of_which_the_receiver_asks_first_is_taken() {
    let told = called(|callback| {
        let calling = Calling::new(callback, &[b'x'; 900]);
        let length = Some("Content-Length: 900\r\nExpect: 100-continue".to_owned());
        vec![(200, Calling { length, ..calling })]
    });
    assert_eq!(told.answer().len(), 900);
}

// A silent or slow peer keeps no other out.
#[test]
fn guests_that_linger_keep_nobody_out() {
    let bench = Bench::new();
    let (server, requests) = Server::with_requests();
    let courier = server.courier();
    let received = started(&courier, bench.delivery());
    let request = next_request(&requests);
    request.answer("202 Accepted", b"");
    let calling = Calling::new(request.callback(), b"the answer");
    let address = calling.url.split('/').nth(2).unwrap().to_owned();
    let guests: Vec<TcpStream> = (0..40).map(|_| TcpStream::connect(&address).unwrap()).collect();
    for (number, mut guest) in guests.iter().enumerate() {
        let head = calling.head();
        guest.write_all(&head.as_bytes()[..number.min(head.len())]).unwrap();
    }
    assert_eq!(calling.call(), 200);
    assert_eq!(Told::all(&received).text(), "the answer");
    drop(courier);
    for mut guest in guests {
        // The courier is gone, and so is the door with all who stand in it.
        let mut rest = Vec::new();
        let _ = std::io::Read::read_to_end(&mut guest, &mut rest);
    }
    assert_eq!(calling.call(), 0);
}

#[test]
fn deliveries_have_tokens_of_their_own() {
    let bench = Bench::new();
    let (server, requests) = Server::with_requests();
    let courier = server.courier();
    let received: Vec<_> =
        ["a", "b"].map(|key| started(&courier, Delivery { key: Key::from(key), ..bench.delivery() })).into();
    let first = next_request(&requests);
    let second = next_request(&requests);
    let ((url, id), (other_url, other_id)) = (first.callback(), second.callback());
    assert!(url != other_url && id != other_id);
    assert!(url.starts_with("http://127.0.0.1:") && url.len() > 64 && id.len() > 64);
    for request in [&first, &second] {
        request.answer("202 Accepted", b"");
        assert_eq!(Calling::new(request.callback(), request.text("key").as_bytes()).call(), 200);
    }
    let answers: Vec<_> = received.iter().map(|received| Told::all(received).text().to_owned()).collect();
    assert_eq!(answers, ["a", "b"]);
}

#[test]
fn what_is_under_way_is_told() {
    let bench = Bench::new();
    let (server, requests) = Server::with_requests();
    let courier = server.courier();
    let received = started(&courier, bench.delivery());
    let request = next_request(&requests);
    request.answer("202 Accepted", b"\n queued as 17\x1b[31m \nmore");
    let line = |what| {
        let What::Progress(line) = what else { panic!("no line but {what:?}") };
        String::from_utf8(line).unwrap()
    };
    assert!(line(next(&received)).starts_with("sent to http://127.0.0.1:"));
    assert_eq!(next(&received), What::Session("run-1/step%202".to_owned()));
    let accepted = line(next(&received));
    assert!(accepted.ends_with("/hook will call back: queued as 17[31m"), "{accepted}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    // Whatever knocks, the answer that comes after it is taken, and nothing else is.
    #[test]
    fn no_bytes_at_the_door_are_taken_for_an_answer(
        noise in prop::collection::vec(any::<u8>(), 0..400), at in 0usize..300, keeps_head: bool,
    ) {
        let bench = Bench::new();
        let (server, requests) = Server::with_requests();
        let courier = server.courier();
        let received = started(&courier, bench.delivery());
        let request = next_request(&requests);
        request.answer("202 Accepted", b"");
        let calling = Calling::new(request.callback(), b"the answer");
        let mut bytes = calling.head().into_bytes();
        if keeps_head {
            bytes.truncate(at);
        } else {
            bytes.clear();
        }
        bytes.extend_from_slice(&noise);
        prop_assert_ne!(calling.call_raw(&bytes), 200);
        prop_assert_eq!(calling.call(), 200);
        let told = Told::all(&received);
        prop_assert_eq!(told.text(), "the answer");
    }
}
