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
    let changed = |labels: &[&str], since| {
        let labels = labels.iter().map(|&label| label.to_owned()).collect();
        let query = Query { labels, before: None, since, limit: Limit(9) };
        ledger.find(&query).expect("the store works").into_iter().map(|head| head.stream).collect::<Vec<_>>()
    };
    assert_eq!(changed(&[], 2), ["d", "c", "a"], "what changed counts, not what began");
    assert_eq!(changed(&["open"], 3), ["a"]);
    assert_eq!(changed(&[], 5), [""; 0]);
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

pub(super) fn due(ledger: &dyn Ledger) {
    let at = |stream: &str, expected, due: Option<u64>| Append {
        head: Some(NewHead { labels: Vec::new(), due: due.map(Millis) }),
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
