//! Tells random letters from words that people put together, as names in programs are.
//!
//! Cannot: know any word. A name is told by what stands side by side in it: random letters soon have two together that
//! no word of English or French has.

/// For each letter from `a` on, which letters stand behind it in hardly any word: a bit for each, `a` the lowest.
/// Counted over the words of programs and of prose.
const RARE: [u32; 26] = [
    0x001_4000, 0x2e1_04c0, 0x2c0_0200, 0x201_0400, 0x000_0000, 0x2e1_0680, 0x2e1_060a, 0x2e1_86e2,
    0x150_0380, 0x3eb_beee, 0x2e3_16c2, 0x281_0280, 0x2e1_02c0, 0x280_0000, 0x201_0080, 0x281_0200,
    0x3ef_f7ff, 0x200_0200, 0x080_0200, 0x201_0600, 0x151_0680, 0x3e1_26ca, 0x3f1_1642, 0x273_2642,
    0x1b3_06e8, 0x0ff_beee,
];

/// The shortest letters of which it can be said that they are random.
const RANDOM_MIN: usize = 10;
/// The fewest words that make a name such as `tokenFromHeader` with a figure behind it.
const NAME_MIN: usize = 3;

/// Words that start with a capital, and how many pairs of letters in them are rare.
struct Pieces {
    count: usize,
    rare: usize,
}

impl Pieces {
    /// Those of some ASCII letters; capitals side by side are a shortened name, which may have any.
    fn of(letters: &[u8]) -> Self {
        let (mut count, mut rare) = (0, 0);
        for (at, pair) in letters.windows(2).enumerate() {
            let [first, second] = [pair[0], pair[1]];
            let next_is_small = letters.get(at + 2).is_some_and(u8::is_ascii_lowercase);
            let starts = second.is_ascii_uppercase() && (first.is_ascii_lowercase() || next_is_small);
            count += usize::from(starts);
            if second.is_ascii_lowercase() && is_rare(first, second) {
                rare += 1;
            }
        }
        Self { count: count + 1, rare }
    }
}

fn is_rare(first: u8, second: u8) -> bool {
    let place = |letter: u8| usize::from(letter.to_ascii_lowercase().wrapping_sub(b'a'));
    RARE.get(place(first)).is_some_and(|row| row & (1_u32 << (place(second) % 32)) != 0)
}

/// Tells whether letters in both cases are no words.
pub(super) fn are_random(value: &str) -> bool {
    let letters = value.as_bytes();
    let has = |is: fn(&u8) -> bool| letters.iter().any(is);
    if letters.len() < RANDOM_MIN
        || !letters.iter().all(u8::is_ascii_alphabetic)
        || !has(u8::is_ascii_lowercase)
        || !letters.iter().skip(1).any(u8::is_ascii_uppercase)
    {
        return false;
    }
    let Pieces { count, rare } = Pieces::of(letters);
    // Words are longer than three letters on average.
    rare >= 2 || (rare == 1 && count * 3 >= letters.len())
}

/// Tells whether a value is a name of several words as programs have them, perhaps with a figure behind it.
pub(super) fn is_name(value: &str) -> bool {
    let stem = value.strip_suffix(|c: char| c.is_ascii_digit()).unwrap_or(value).as_bytes();
    if !stem.iter().all(u8::is_ascii_alphabetic) || !stem.first().is_some_and(u8::is_ascii_lowercase) {
        return false;
    }
    let Pieces { count, rare } = Pieces::of(stem);
    rare == 0 && count >= NAME_MIN && count * 3 <= stem.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_letters_are_told_from_names() {
        // proves A-13
        for value in ["dTHhullkonWv", "QMKwMJGFymwy", "ZEznyDGxUqeW", "xwHvyKaxeiGX", "RnNklySjyPxqh"] {
            assert!(are_random(value) && !is_name(value), "{value}");
        }
        for value in [
            "yourPassword",
            "changeMePlease",
            "XMLHttpRequest",
            "csrfTokenFromMetaTag",
            "getURLForIDByAPI",
            "PasswordHasherFactory",
            "motDePasseOublie",
            "correcthorsebattery",
            "DATABASEPASSWORD",
            "userPasswordFromEnv",
            "JsonWebKeySet",
        ] {
            assert!(!are_random(value), "{value}");
        }
        for value in ["csrfTokenFromMetaTag2", "tokenFromTheHeader", "getKeyFromVault1"] {
            assert!(is_name(value), "{value}");
        }
        for value in ["k3J9x2Lm8QpW", "summerRain24", "dTHhullkonWv1", "abcd1", "Secret1"] {
            assert!(!is_name(value), "{value}");
        }
    }
}
