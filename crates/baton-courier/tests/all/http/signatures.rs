//! Signatures hold for the signed message and for no other.

use baton_courier::http::{Refused, Secrets, Stamp};
use proptest::prelude::*;

use super::server::secrets;

const NOW_S: u64 = 1_800_000_000;

fn said(secrets: &Secrets, id: &str, time_s: u64, signature: &str, body: &[u8]) -> Result<(), Refused> {
    let time = time_s.to_string();
    secrets.verify(&Stamp { id, time: &time, signature }, body, NOW_S)
}

proptest! {
    #[test]
    fn what_was_signed_is_believed_and_no_other(
        id in "[a-z0-9/_-]{1,40}", other_id in "[a-z0-9/_-]{1,40}",
        ago in 0u64..300, later in 0u64..300,
        body in prop::collection::vec(any::<u8>(), 0..200), other in prop::collection::vec(any::<u8>(), 0..200),
        bit in 0usize..256,
    ) {
        let secrets = secrets();
        let signature = secrets.sign(&id, NOW_S - ago, &body);
        prop_assert_eq!(said(&secrets, &id, NOW_S - ago, &signature, &body), Ok(()));
        if other != body {
            prop_assert_eq!(said(&secrets, &id, NOW_S - ago, &signature, &other), Err(Refused::Forged));
        }
        if other_id != id {
            prop_assert_eq!(said(&secrets, &other_id, NOW_S - ago, &signature, &body), Err(Refused::Forged));
        }
        if later != ago {
            prop_assert_eq!(said(&secrets, &id, NOW_S - later, &signature, &body), Err(Refused::Forged));
        }
        let stranger = Secrets::read(&format!("whsec_{}", "A".repeat(40))).unwrap();
        prop_assert_eq!(said(&stranger, &id, NOW_S - ago, &signature, &body), Err(Refused::Forged));
        // A letter of the signature that is another one.
        let place = 3 + bit % 43;
        let mut forged = signature.into_bytes();
        forged[place] = if forged[place] == b'A' { b'B' } else { b'A' };
        let forged = String::from_utf8(forged).unwrap();
        prop_assert_eq!(said(&secrets, &id, NOW_S - ago, &forged, &body), Err(Refused::Forged));
    }

    #[test]
    fn no_text_is_taken_for_a_signature(signature in "\\PC{0,200}", time in "\\PC{0,30}", id in "\\PC{0,30}") {
        let stamp = Stamp { id: &id, time: &time, signature: &signature };
        prop_assert!(secrets().verify(&stamp, b"body", NOW_S).is_err());
    }

    #[test]
    fn no_text_is_taken_for_a_secret_that_is_none(text in "\\PC{0,100}") {
        if let Some(secrets) = Secrets::read(&text) {
            prop_assert!(text.split_whitespace().all(|secret| secret.starts_with("whsec_")));
            let shown = format!("{secrets:?}");
            prop_assert!(!shown.contains("whsec"));
        }
    }
}
