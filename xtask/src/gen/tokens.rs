//! Makes `crates/baton-document/data/o200k.bin`: the o200k vocabulary of the reference tokenizer,
//! and the classes of characters that its pattern tells apart.
//!
//! Cannot: read the vocabulary from a file or the network; it asks the reference tokenizer, whose
//! version the lock file holds.

use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};
use regex::Regex;
use tiktoken_rs::CoreBPE;

use layout::class;

// Compiled in and not depended on: the crate it belongs to embeds the file that is made here.
#[path = "../../../crates/baton-document/src/tokens/layout.rs"]
mod layout;

/// Path of the file from this package.
const FILE: &str = "../crates/baton-document/data/o200k.bin";

/// Slots per hundred tokens: with a third of them empty a search ends after a few, and the file
/// stays well below four megabytes.
const SLOT_PERCENT: u32 = 150;

/// The most ranks that are asked for; the vocabulary ends before, and ranks have gaps.
const RANKS_MAX: u32 = 300_000;

/// Makes the file and writes it in its place.
pub(crate) fn run() -> anyhow::Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    fs::write(&path, generate()?).with_context(|| format!("write {}", path.display()))
}

/// Makes the bytes of the file.
fn generate() -> anyhow::Result<Vec<u8>> {
    let tokens = vocabulary(&tiktoken_rs::o200k_base()?)?;
    let (block_index, blocks) = class_blocks()?;

    let token_count = u32::try_from(tokens.len())?;
    let slot_count = token_count * SLOT_PERCENT / 100;
    let mut slots = vec![layout::EMPTY; slot_count as usize];
    let mut records = Vec::new();
    // In the order of rank: the most frequent tokens get the slot where a search begins, and lie
    // together in memory.
    for (rank, bytes) in tokens {
        let offset = u32::try_from(records.len())?;
        ensure!(offset < (1 << layout::OFFSET_BITS) - 1, "too many records");
        let probe = layout::probe(&bytes, slot_count);
        let mut slot = probe.home;
        while slots[slot] != layout::EMPTY {
            slot = (slot + 1) % slots.len();
        }
        slots[slot] = probe.fingerprint << layout::OFFSET_BITS | offset;

        let [low, middle, high, beyond] = rank.to_le_bytes();
        ensure!(beyond == 0, "rank {rank} does not fit");
        let head: [u8; layout::RECORD_HEAD_LEN] = [low, middle, high, u8::try_from(bytes.len())?];
        records.extend(head);
        records.extend(bytes);
    }

    let mut file = layout::MAGIC.to_vec();
    let record_bytes = u32::try_from(records.len())?;
    let block_count = u32::try_from(blocks.len())?;
    for field in [layout::VERSION, token_count, slot_count, record_bytes, block_count] {
        file.extend(field.to_le_bytes());
    }
    ensure!(file.len() == layout::HEADER_LEN, "the header has another length");
    file.extend(block_index);
    file.extend(blocks.concat());
    file.extend(slots.into_iter().flat_map(u32::to_le_bytes));
    file.extend(records);
    Ok(file)
}

/// Lists the ordinary tokens of the reference with their ranks, in the order of rank.
fn vocabulary(reference: &CoreBPE) -> anyhow::Result<Vec<(u32, Vec<u8>)>> {
    let special: Vec<u32> = reference
        .special_tokens()
        .into_iter()
        .flat_map(|name| reference.encode_with_special_tokens(name))
        .collect();
    let tokens: Vec<(u32, Vec<u8>)> = (0..RANKS_MAX)
        .filter(|rank| !special.contains(rank))
        .filter_map(|rank| Some((rank, reference.decode_bytes(&[rank]).ok()?)))
        .collect();
    for byte in 0..=u8::MAX {
        let single = tokens.iter().any(|(_, bytes)| bytes == &[byte]);
        ensure!(single, "the byte {byte:#04x} is no token, so not every text can be counted");
    }
    Ok(tokens)
}

/// Sorts all code points into their classes, in blocks of which equal ones are kept once.
fn class_blocks() -> anyhow::Result<(Vec<u8>, Vec<Vec<u8>>)> {
    // The same engine as the reference's, so the same edition of Unicode.
    let patterns = [
        (r"[\p{Lu}\p{Lt}]+", class::UPPER),
        (r"\p{Ll}+", class::LOWER),
        (r"[\p{Lm}\p{Lo}]+", class::CASELESS),
        (r"\p{M}+", class::MARK),
        (r"\p{N}+", class::NUMBER),
        (r"[\s--[\r\n]]+", class::SPACE),
        (r"[\r\n]+", class::NEWLINE),
    ];
    let all: String = ('\0'..=char::MAX).collect();
    let mut classes = vec![class::SYMBOL; layout::BLOCK_COUNT * layout::BLOCK_LEN];
    for (pattern, class) in patterns {
        for found in Regex::new(pattern)?.find_iter(&all) {
            for character in found.as_str().chars() {
                let known = &mut classes[character as usize];
                ensure!(*known == class::SYMBOL, "{character:?} is in two classes");
                *known = class;
            }
        }
    }

    let mut blocks: Vec<Vec<u8>> = Vec::new();
    let mut block_index = Vec::new();
    for block in classes.chunks(layout::BLOCK_LEN) {
        let position = blocks.iter().position(|known| known == block);
        block_index.push(u8::try_from(position.unwrap_or(blocks.len()))?);
        if position.is_none() {
            blocks.push(block.to_vec());
        }
    }
    Ok((block_index, blocks))
}

#[cfg(test)]
mod tests {
    use super::{FILE, generate};

    #[test]
    fn the_committed_table_is_what_a_second_generation_gives() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
        let committed = std::fs::read(path).expect("the table is part of the repository");
        let made = generate().expect("the reference is compiled in");
        // Not `assert_eq`, which would print three megabytes.
        assert!(committed == made, "run `cargo xtask gen tokens`");
    }
}
