//! A part of a text, without secrets. Secrets are looked for in the whole text, and the part is taken then: a secret of
//! which a half is left looks like none.

use std::ops::Range;

use super::{Effort, TextScan, sight};

/// The part of a text that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExcerptPart {
    /// So many bytes from its start.
    First(usize),
    /// So many bytes before its end.
    Last(usize),
}

/// Takes a part of a text, with a mark in place of each secret that stands in it or reaches into it.
///
/// The more of the text is given beyond the part, the longer a secret may be that reaches into it and is known.
pub fn excerpt(text: &str, part: ExcerptPart) -> String {
    let kept = match part {
        ExcerptPart::First(bytes) => 0..text.floor_char_boundary(bytes),
        ExcerptPart::Last(bytes) => text.ceil_char_boundary(text.len().saturating_sub(bytes))..text.len(),
    };
    let look = TextScan::at(text);
    if look.has_no_secret() {
        return text[kept].to_owned();
    }
    let sights = sight::sights(&look, super::coded::DEPTH, &mut Effort::any()).all;
    let is_in = |range: &Range<usize>| range.start < kept.end && kept.start < range.end;
    let mut into = String::with_capacity(kept.len());
    let mut taken = kept.start;
    for sight in sights.iter().filter(|sight| is_in(&sight.range)) {
        into.push_str(text.get(taken..sight.range.start).unwrap_or_default());
        into.push_str(&super::secret(sight.format, crate::span::Span::at(0), &sight.meant).mark());
        taken = sight.range.end;
    }
    into.push_str(text.get(taken..kept.end).unwrap_or_default());
    into
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_at_the_edge_of_an_excerpt_is_taken_out_whole() {
        let token = ["gh", "p_k3J9x2Lm8QpW5rT1vB7nYc4Zd6Hf0GsAeUiO"].concat();
        let text = format!("one {token} two {token} three");
        for bytes in 0..=text.len() {
            for part in [ExcerptPart::First(bytes), ExcerptPart::Last(bytes)] {
                let kept = excerpt(&text, part);
                let pieces = (6..token.len()).map(|length| &token[length - 6..length]);
                assert!(pieces.clone().all(|piece| !kept.contains(piece)), "{part:?}: {kept}");
            }
        }
        assert!(excerpt(&text, ExcerptPart::First(9)).starts_with("one [redacted:github-token:"));
        assert!(excerpt(&text, ExcerptPart::Last(9)).ends_with("] three"));
        assert_eq!(excerpt("caf\u{e9}", ExcerptPart::First(4)), "caf");
        assert_eq!(excerpt("\u{e9}t\u{e9}", ExcerptPart::Last(4)), "t\u{e9}");
    }
}
