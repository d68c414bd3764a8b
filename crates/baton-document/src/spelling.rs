//! Did you mean: the nearest of some words, when it is near enough to be meant.

/// The words that are compared: a guess among more would cost more than it helps.
const WORDS_MAX: usize = 1_000;

/// Finds the word nearest to a text, if it is a likely slip.
pub(crate) fn nearest<'w>(text: &str, words: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    const CHARS_MAX: usize = 64;
    let folded = fold(text);
    if folded.is_empty() || folded.len() > CHARS_MAX {
        return None;
    }
    let allowed = (folded.len() / 3).clamp(1, 3);
    words
        .take(WORDS_MAX)
        .filter(|word| word.len() <= CHARS_MAX && !word.is_empty())
        .map(|word| (distance(&folded, &fold(word)), word))
        .filter(|(distance, word)| *distance <= allowed && *distance < word.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// Finds the one word that a text is plainly a slip of: so near that nothing else can be meant, and no other is near.
pub(crate) fn slip_of<'w>(text: &str, words: impl Iterator<Item = &'w str> + Clone) -> Option<&'w str> {
    let near = nearest(text, words.clone())?;
    let others = words.filter(|word| *word != near);
    if nearest(text, others).is_some() {
        return None;
    }
    let (a, b) = (fold(text), fold(near));
    let is_swap = || {
        let mut sorted = [a.clone(), b.clone()];
        sorted.iter_mut().for_each(|letters| letters.sort_unstable());
        sorted[0] == sorted[1]
    };
    let is_plain = match distance(&a, &b) {
        0 => true,
        1 => b.len() >= 5 || (b.len() == 4 && is_swap()),
        2 => b.len() >= 10,
        _ => false,
    };
    is_plain.then_some(near)
}

/// Letters and the difference between `-`, `_` and spaces do not count.
fn fold(text: &str) -> Vec<char> {
    text.chars().flat_map(char::to_lowercase).map(|c| if matches!(c, '-' | ' ') { '_' } else { c }).collect()
}

/// The edits between two words, a swap of neighbours counting as one.
fn distance(a: &[char], b: &[char]) -> usize {
    let width = b.len() + 1;
    let mut rows = vec![0; (a.len() + 1) * width];
    for (at, cell) in rows.iter_mut().enumerate().take(width) {
        *cell = at;
    }
    for i in 1..=a.len() {
        rows[i * width] = i;
        for j in 1..=b.len() {
            let change = rows[(i - 1) * width + j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let gap = rows[(i - 1) * width + j].min(rows[i * width + j - 1]) + 1;
            let mut best = change.min(gap);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[(i - 2) * width + j - 2] + 1);
            }
            rows[i * width + j] = best;
        }
    }
    rows[a.len() * width + b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_word_and_another_word_does_not() {
        // proves A-06
        let words = || ["recommendation", "reason", "status"].into_iter();
        assert_eq!(nearest("recomendation", words()), Some("recommendation"));
        assert_eq!(nearest("stauts", words()), Some("status"));
        assert_eq!(nearest("Reason", words()), Some("reason"));
        assert_eq!(nearest("colour", words()), None);
    }

    #[test]
    fn a_plain_slip_has_one_word_and_a_guess_has_none() {
        let words = || ["session_key", "from", "to", "status", "step", "success_criteria"].into_iter();
        assert_eq!(slip_of("stauts", words()), Some("status"));
        assert_eq!(slip_of("form", words()), Some("from"));
        assert_eq!(slip_of("Session-Key", words()), Some("session_key"));
        assert_eq!(slip_of("sucess_critera", words()), Some("success_criteria"));
        // Near enough to ask, too far to change.
        assert_eq!(nearest("session_id", words()), Some("session_key"));
        assert_eq!(slip_of("session_id", words()), None);
        assert_eq!(slip_of("stop", words()), None);
        assert_eq!(slip_of("ot", words()), None);
        assert_eq!(slip_of("tests", ["test", "texts"].into_iter()), None);
    }
}
