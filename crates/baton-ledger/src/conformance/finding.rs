//! Finding streams by their labels and by what is due.

use baton_kernel::Millis;

use super::{find, kept, labelled, names, simple};
use crate::{Append, Ledger, Limit, NewHead, Query};

pub(super) fn labels(ledger: &dyn Ledger) {
    kept(ledger, labelled("a", 0, &["open", "flow=x"]));
    kept(ledger, labelled("b", 0, &["open", "flow=y"]));
    kept(ledger, labelled("c", 0, &["open", "flow=x", "open"]));
    kept(ledger, simple("d", 0));
    let appended = kept(ledger, simple("a", 1));
    assert_eq!(names(&find(ledger, &[])), ["d", "c", "b", "a"]);
    assert_eq!(names(&find(ledger, &["open"])), ["c", "b", "a"]);
    assert_eq!(names(&find(ledger, &["flow=x", "open"])), ["c", "a"]);
    assert_eq!(names(&find(ledger, &["open", "flow=x"])), ["c", "a"]);
    assert_eq!(names(&find(ledger, &["flow=x", "flow=y"])), [""; 0]);
    assert_eq!(names(&find(ledger, &["flow"])), [""; 0], "a label is not a beginning");
    let a = &find(ledger, &["flow=x"])[1];
    assert_eq!((a.started, a.seq, a.position, a.hash), (1, 2, appended.position, appended.hash));
    assert_eq!(a.labels, ["flow=x", "open"]);
    let mut query = Query { labels: vec!["open".to_owned()], before: None, since: 0, limit: Limit(2) };
    let first = ledger.find(&query).expect("the store works");
    query.before = first.last().map(|head| head.started);
    let second = ledger.find(&query).expect("the store works");
    assert_eq!((names(&first), names(&second)), (vec!["c", "b"], vec!["a"]));
}

pub(super) fn changed(ledger: &dyn Ledger) {
    // Enough for a store to write its views and to hold nothing else in memory.
    let label = |number: u64| if number.is_multiple_of(2) { "even" } else { "odd" };
    let first = (1..=2500).map(|number| labelled(&number.to_string(), 0, &[label(number)])).collect();
    assert!(ledger.append(first).expect("the store works").iter().all(Result::is_ok));
    kept(ledger, simple("7", 1));
    kept(ledger, simple("new", 0));
    let changed = |labels: &[&str], before, since, limit| {
        let labels = labels.iter().map(|&label| label.to_owned()).collect();
        let query = Query { labels, before, since, limit: Limit(limit) };
        ledger.find(&query).expect("the store works").into_iter().map(|head| head.stream).collect::<Vec<_>>()
    };
    assert_eq!(changed(&[], None, 2497, 9), ["new", "2500", "2499", "2498", "7"], "what began before too");
    assert_eq!(changed(&["odd"], None, 2497, 9), ["2499", "7"]);
    assert_eq!(changed(&[], None, 2497, 2), ["new", "2500"]);
    assert_eq!(changed(&[], Some(2500), 2497, 9), ["2499", "2498", "7"]);
    assert_eq!(changed(&[], None, 2500, 9), ["new", "7"]);
    assert_eq!(changed(&[], None, 2501, 9), ["new"]);
    assert_eq!(changed(&[], None, 2502, 9), [""; 0]);
    assert_eq!(changed(&[], None, 1, 9999).len(), 2500);
}

pub(super) fn replaced(ledger: &dyn Ledger) {
    kept(ledger, labelled("a", 0, &["open", "mine"]));
    kept(ledger, simple("a", 1));
    assert_eq!(names(&find(ledger, &["open"])), ["a"], "an append without a head leaves it");
    kept(ledger, labelled("a", 2, &["closed", "mine"]));
    assert_eq!(names(&find(ledger, &["open"])), [""; 0]);
    assert_eq!(names(&find(ledger, &["mine", "closed"])), ["a"]);
    kept(ledger, labelled("a", 3, &[]));
    assert_eq!(names(&find(ledger, &["mine"])), [""; 0]);
    assert_eq!(names(&find(ledger, &[])), ["a"]);
}

pub(super) fn summaries(ledger: &dyn Ledger) {
    let summary = |stream: &str, expected, summary: &[u8]| {
        let head = NewHead { due: Some(Millis(1)), summary: summary.to_vec(), ..NewHead::default() };
        Append { head: Some(head), ..simple(stream, expected) }
    };
    let found = || find(ledger, &[]).into_iter().map(|head| head.summary).collect::<Vec<_>>();
    let largest = vec![0xff; 4096];
    kept(ledger, summary("a", 0, b"two of five steps"));
    kept(ledger, simple("b", 0));
    kept(ledger, summary("c", 0, &largest));
    kept(ledger, simple("a", 1));
    assert_eq!(found(), [largest, Vec::new(), b"two of five steps".to_vec()]);
    assert_eq!(
        ledger.due(Millis(1), Limit(9)).expect("the store works"),
        find(ledger, &[])[..].iter().rev().filter(|head| head.due.is_some()).cloned().collect::<Vec<_>>()
    );
    kept(ledger, summary("a", 2, b""));
    kept(ledger, summary("c", 1, b"done"));
    assert_eq!(found(), [b"done".to_vec(), Vec::new(), Vec::new()], "a head without a summary empties it");
}

// A list of runs is paged; a page late in it costs what the first one does.
pub(super) fn pages(ledger: &dyn Ledger) {
    const STREAMS: u64 = 10_000;
    const PAGE: usize = 250;
    for batch in 0..STREAMS / 1000 {
        let appends = (batch * 1000..(batch + 1) * 1000).map(|number| {
            let mut append = labelled(&format!("run {number}"), 0, &["open"]);
            if let Some(head) = &mut append.head {
                head.summary = number.to_string().into_bytes();
            }
            append
        });
        assert!(ledger.append(appends.collect()).expect("the store works").iter().all(Result::is_ok));
    }
    for labels in [Vec::new(), vec!["open".to_owned()]] {
        let mut query = Query { labels, before: None, since: 0, limit: Limit(PAGE) };
        let mut expected = (0..STREAMS).rev();
        loop {
            let page = ledger.find(&query).expect("the store works");
            let Some(last) = page.last() else { break };
            query.before = Some(last.started);
            for head in page {
                assert_eq!(Some(head.summary), expected.next().map(|number| number.to_string().into_bytes()));
            }
        }
        assert_eq!(expected.next(), None);
    }
}

pub(super) fn due(ledger: &dyn Ledger) {
    let at = |stream: &str, expected, due: Option<u64>| Append {
        head: Some(NewHead { due: due.map(Millis), ..NewHead::default() }),
        ..simple(stream, expected)
    };
    kept(ledger, at("a", 0, Some(30)));
    kept(ledger, at("b", 0, Some(10)));
    kept(ledger, at("c", 0, None));
    kept(ledger, at("d", 0, Some(20)));
    kept(ledger, at("e", 0, Some(10)));
    let due = |until, limit| {
        let heads = ledger.due(Millis(until), Limit(limit)).expect("the store works");
        heads.into_iter().map(|head| head.stream).collect::<Vec<_>>()
    };
    assert_eq!(due(9, 9), [""; 0]);
    assert_eq!(due(10, 9), ["b", "e"]);
    assert_eq!(due(u64::MAX, 9), ["b", "e", "d", "a"]);
    assert_eq!(due(99, 3), ["b", "e", "d"]);
    kept(ledger, at("b", 1, None));
    kept(ledger, at("a", 1, Some(0)));
    kept(ledger, simple("d", 1));
    assert_eq!(due(99, 9), ["a", "e", "d"]);
}
