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
}
