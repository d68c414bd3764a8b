//! Signatures of failures, and the words that are shared with other crates.

use baton_kernel::{Digest, Key, LaneId, StepId, bounds, signature};

#[test]
fn the_same_failure_has_the_same_signature_wherever_it_stands() {
    let same = [
        ("src/auth.py:42: Missing validation", "src/auth.py:57: missing  validation\n"),
        ("src/auth.py:42:7: no", "src/auth.py:5:12: no"),
        ("Error at line 12, column 3", "error at line \t 4, column 77"),
        ("see src/a.rs#L10", "see src/a.rs#L4711"),
        ("auth.ts(42,7): error TS2304", "auth.ts(1,15): error TS2304"),
        ("lines 3-9 differ", "lines 10-12 differ"),
        ("Erreur à la ligne 3", "erreur à la ligne 44"),
    ];
    for (one, other) in same {
        assert_eq!(signature(one), signature(other)); // proves E-08
    }
}

#[test]
fn another_failure_has_another_signature() {
    let other = [
        ("expected 200, got 401", "expected 200, got 500"),
        ("src/auth.py:42: no", "src/user.py:42: no"),
        ("error TS2304", "error TS2305"),
        ("3 tests failed", "2 tests failed"),
        ("status: 404", "status:  500"),
        ("f (1) is no place", "f (2) is no place"),
        ("got a,1", "got a,2"),
        ("no utf-8", "no utf-16"),
    ];
    for (one, another) in other {
        assert_ne!(signature(one), signature(another)); // proves E-08
    }
}

#[test]
fn signatures_look_like_this() {
    assert_eq!(signature("  Src/Auth.py:42:7:\tMISSING  it "), "src/auth.py:#:#: missing it");
    assert_eq!(signature("auth.ts(42,7): no"), "auth.ts(#,#): no");
    assert_eq!(signature("Line 12"), "line #");
    assert_eq!(signature("a.rs#L10"), "a.rs#l#");
    assert_eq!(signature(""), "");
}

#[test]
fn signatures_are_bounded_and_whole_characters() {
    let long = signature(&"É".repeat(10_000));
    assert!(long.len() <= bounds::TEXT_BYTES_MAX);
    assert!(long.chars().all(|letter| letter == 'é'));
    assert_eq!(signature(&long), long);
    assert_eq!(signature(&"a".repeat(10_000)).len(), bounds::TEXT_BYTES_MAX);
    assert_eq!(signature(&format!("a{}", "É".repeat(10_000))).len(), bounds::TEXT_BYTES_MAX - 1);
}

#[test]
fn digests_are_written_and_read_as_hexadecimal_digits() {
    let mut bytes = [0xab; 32];
    bytes[0] = 0x01;
    let digest = Digest(bytes);
    let hex = digest.to_string();
    assert_eq!(hex, format!("01{}", "ab".repeat(31)));
    assert_eq!(Digest::from_hex(&hex), Some(digest));
    assert_eq!(Digest::from_hex(&hex.to_uppercase()), Some(digest));
    for wrong in ["", "ab", &hex[1..], &hex.replace('a', "g"), &format!("{hex}00")] {
        assert_eq!(Digest::from_hex(wrong), None);
    }
    let json = serde_json::to_string(&digest).unwrap();
    assert_eq!(serde_json::from_str::<Digest>(&json).unwrap(), digest);
    let refused = serde_json::from_str::<Digest>("\"ab\"").unwrap_err().to_string();
    assert!(refused.contains("64 hexadecimal digits"), "{refused}");
    assert_eq!(format!("{digest:?}"), hex);
}

#[test]
fn a_key_is_written_by_its_numbers() {
    let key = Key { number: 3, lane: LaneId(1), step: StepId(2) };
    assert_eq!(key.to_string(), "3-2-1");
}
