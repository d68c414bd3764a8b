//! The embedded vocabulary and character classes, looked up where they lie in the binary.
//!
//! Cannot: be loaded, fail or hold state. The header is checked when the crate is compiled, so a
//! process that starts has nothing to do before its first lookup.

use super::layout::{
    BLOCK_COUNT, BLOCK_LEN, EMPTY, HEADER_LEN, MAGIC, OFFSET_BITS, RECORD_HEAD_LEN, VERSION, class, probe,
};

/// The o200k vocabulary and the classes of characters that its splitter tells apart.
pub(super) static TABLE: Table = Table::open(include_bytes!("../../data/o200k.bin"));

/// The rank that no token has: where two parts do not make a token.
pub(super) const NO_RANK: u32 = u32::MAX;

/// The sections of the data file.
pub(super) struct Table {
    class_index: &'static [u8],
    class_blocks: &'static [[u8; BLOCK_LEN]],
    slots: &'static [[u8; 4]],
    slot_count: u32,
    records: &'static [u8],
    #[cfg(test)]
    token_count: u32,
}

impl Table {
    /// Cuts the file into its sections; a file of another layout does not compile.
    const fn open(file: &'static [u8]) -> Self {
        let (header, rest) = file.split_at(HEADER_LEN);
        let (magic, mut fields) = header.split_at(MAGIC.len());
        let mut position = 0;
        while position < MAGIC.len() {
            assert!(magic[position] == MAGIC[position], "not a token table");
            position += 1;
        }
        let version = take_u32(&mut fields);
        assert!(version == VERSION, "a token table of another layout: run `cargo xtask gen tokens`");
        let token_count = take_u32(&mut fields);
        let slot_count = take_u32(&mut fields);
        let record_bytes = take_u32(&mut fields);
        let block_count = take_u32(&mut fields);
        // A search ends at an empty slot, so there must be one.
        assert!(token_count < slot_count, "the slots are full");

        let (class_index, rest) = rest.split_at(BLOCK_COUNT);
        let (class_blocks, rest) = rest.split_at(block_count as usize * BLOCK_LEN);
        let (slots, records) = rest.split_at(slot_count as usize * 4);
        assert!(records.len() == record_bytes as usize, "a cut token table");
        Self {
            class_index,
            class_blocks: class_blocks.as_chunks().0,
            slots: slots.as_chunks().0,
            slot_count,
            records,
            #[cfg(test)]
            token_count,
        }
    }

    /// Finds the rank of the token that is exactly these bytes, or [`NO_RANK`].
    #[inline]
    pub(super) fn rank(&self, bytes: &[u8]) -> u32 {
        let probe = probe(bytes, self.slot_count);
        let mut position = probe.home;
        loop {
            let slot = u32::from_le_bytes(self.slots[position]);
            if slot == EMPTY {
                return NO_RANK;
            }
            if slot >> OFFSET_BITS == probe.fingerprint {
                let record = &self.records[(slot & ((1 << OFFSET_BITS) - 1)) as usize..];
                let (head, rest) = record
                    .split_first_chunk::<RECORD_HEAD_LEN>()
                    .expect("a slot holds the offset of a whole record");
                let [rank @ .., len] = *head;
                if usize::from(len) == bytes.len() && rest.starts_with(bytes) {
                    let [low, middle, high] = rank;
                    return u32::from_le_bytes([low, middle, high, 0]);
                }
            }
            position += 1;
            if position == self.slots.len() {
                position = 0;
            }
        }
    }

    /// Tells the class of a character.
    #[inline]
    pub(super) fn class(&self, character: char) -> u8 {
        let code = character as usize;
        let block = self.class_index[code / BLOCK_LEN];
        self.class_blocks[usize::from(block)][code % BLOCK_LEN]
    }
}

/// Reads the next field of the header.
const fn take_u32(fields: &mut &[u8]) -> u32 {
    let (field, rest) = fields.split_first_chunk::<4>().expect("the header holds all its fields");
    *fields = rest;
    u32::from_le_bytes(*field)
}

/// The classes of the ASCII characters, which need no table: most text is made of them.
pub(super) static ASCII_CLASSES: [u8; 128] = ascii_classes();

const fn ascii_classes() -> [u8; 128] {
    let mut classes = [class::SYMBOL; 128];
    let mut code: u8 = 0;
    while code < 128 {
        classes[code as usize] = match code {
            b'\r' | b'\n' => class::NEWLINE,
            b'\t' | 0x0b | 0x0c | b' ' => class::SPACE,
            b'0'..=b'9' => class::NUMBER,
            b'A'..=b'Z' => class::UPPER,
            b'a'..=b'z' => class::LOWER,
            _ => class::SYMBOL,
        };
        code += 1;
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::{ASCII_CLASSES, NO_RANK, TABLE};

    #[test]
    fn every_token_of_the_reference_vocabulary_has_its_rank_and_there_are_no_others() {
        let reference = tiktoken_rs::o200k_base_singleton();
        let special: Vec<u32> = reference
            .special_tokens()
            .into_iter()
            .flat_map(|name| reference.encode_with_special_tokens(name))
            .collect();
        let mut found = 0;
        // Ranks have gaps, so the search goes on well past the last one.
        for rank in (0..300_000).filter(|rank| !special.contains(rank)) {
            if let Ok(bytes) = reference.decode_bytes(&[rank]) {
                assert_eq!(TABLE.rank(&bytes), rank, "token {bytes:?}");
                found += 1;
            }
        }
        assert_eq!(found, TABLE.token_count);
    }

    #[test]
    fn bytes_that_are_no_token_have_no_rank() {
        for bytes in [&b""[..], b"\xff\xfe\xfd", b"zqxjzqxj", &[b'z'; 1000]] {
            assert_eq!(TABLE.rank(bytes), NO_RANK, "{bytes:?}");
        }
    }

    #[test]
    fn the_ascii_classes_are_those_of_the_table() {
        for (code, class) in (0..=127u8).zip(ASCII_CLASSES) {
            assert_eq!(TABLE.class(char::from(code)), class, "U+{code:04X}");
        }
    }
}
