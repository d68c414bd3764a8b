//! Makes `crates/baton-wording/data/words.bin`: all that the lists of words say, laid out so that it is looked up
//! where it lies.
//!
//! Cannot: say anything that the lists do not. What their lines mean is told in `lexicon/mod.rs` of that crate.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use concept::{Concept, Concepts, GENERAL, LISTS, Language};
use layout::{NO_WORD, RECORDS_MAX, field};

// Compiled in and not depended on: the crate they belong to embeds the file that is made here.
#[path = "../../../crates/baton-wording/src/lexicon/concept.rs"]
#[expect(dead_code, reason = "what only the judgements ask")]
mod concept;
#[path = "../../../crates/baton-wording/src/lexicon/layout.rs"]
mod layout;
#[path = "../../../crates/baton-wording/src/lexicon/stem.rs"]
mod stem;

/// Where the file is, seen from this package.
const FILE: &str = "../crates/baton-wording/data/words.bin";

/// Where the lists are, seen from this package.
const FOLDER: &str = "../crates/baton-wording/data/words";

/// Places for records per hundred words: with a few more than words, pilots are found soon.
const PLACE_PERCENT: usize = 106;

/// Words per pilot: fewer make the file longer, more make pilots hard to find.
const WORDS_PER_PILOT: usize = 4;

/// Slots for each edge of the phrases: with more, fewer edges stand behind the slot where they are looked for.
const SLOTS_PER_EDGE: usize = 2;

/// Makes the file and writes it in its place.
pub(crate) fn run() -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    fs::write(&path, generate()?).with_context(|| format!("write {}", path.display()))
}

/// Makes the bytes of the file.
fn generate() -> Result<Vec<u8>> {
    let mut lists = Lists::default();
    for (concept, name) in LISTS {
        for language in Language::ALL {
            let file = format!("{FOLDER}/{}/{name}.txt", language.folder());
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(&file);
            let text = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
            lists.read(&text, *concept, language).with_context(|| file)?;
        }
    }
    lists.lay_out()
}

/// One word of a phrase, by the number of its word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Part {
    /// This form of it.
    Form(usize),
    /// Any form with this stem.
    Stem(usize),
}

/// What the lists say of a word or stem.
#[derive(Default)]
struct Entry {
    /// Of the word that is written so, in each language.
    forms: [Concepts; 2],
    /// Of the words that have this stem.
    stems: [Concepts; 2],
    /// Which concepts have a phrase that starts here.
    starts: [Concepts; 2],
}

/// What is said of a word: its concepts, those of phrases that may start with it, and the number of its stem.
struct Found {
    concepts: Concepts,
    starts: Concepts,
    stem: Option<usize>,
}

/// All that was read.
#[derive(Default)]
struct Lists {
    numbers: HashMap<String, usize>,
    entries: Vec<Entry>,
    phrases: Vec<(Concept, Language, Vec<Part>)>,
}

impl Lists {
    fn read(&mut self, text: &str, concept: Concept, language: Language) -> Result<()> {
        ensure!(text.starts_with("# "), "a list opens with the reason for it, behind `# `");
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let entries = lines.flat_map(|line| line.split(',')).map(str::trim);
        for entry in entries.filter(|entry| !entry.is_empty()) {
            self.add(entry, concept, language).with_context(|| format!("{entry:?}"))?;
        }
        Ok(())
    }

    fn add(&mut self, entry: &str, concept: Concept, language: Language) -> Result<()> {
        let parts = entry.split(' ').map(|word| self.part(word, language)).collect::<Result<Vec<_>>>()?;
        let (Part::Form(number) | Part::Stem(number)) = parts[0];
        let slot = &mut self.entries[number];
        let at = language.index();
        let concepts = Concepts::of(&[concept]);
        match parts[0] {
            _ if parts.len() > 1 => {
                slot.starts[at].add(concepts);
                self.phrases.push((concept, language, parts));
            }
            Part::Form(_) => slot.forms[at].add(concepts),
            Part::Stem(_) => slot.stems[at].add(concepts),
        }
        Ok(())
    }

    fn part(&mut self, word: &str, language: Language) -> Result<Part> {
        let (form, bare) = match word.strip_prefix('=') {
            Some(form) => (true, form),
            None => (false, word),
        };
        let is_plain = !bare.is_empty() && bare.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        ensure!(is_plain, "{word:?} has other letters than a to z");
        ensure!(bare.len() <= layout::WORD_BYTES_MAX, "{word:?} is longer than words may be");
        Ok(match form {
            true => Part::Form(self.number(bare)),
            false => Part::Stem(self.number(stem_of(bare, language))),
        })
    }

    fn number(&mut self, word: &str) -> usize {
        let next = self.entries.len();
        let number = *self.numbers.entry(word.to_owned()).or_insert(next);
        if number == next {
            self.entries.push(Entry::default());
        }
        number
    }

    /// What a language says of a word.
    fn find(&self, word: &str, language: Language) -> Found {
        let found = self.whole(word, language);
        if !found.concepts.is_empty() || !found.starts.is_empty() {
            return found;
        }
        // `recheck` is to check again.
        let again = word.strip_prefix("re").filter(|rest| rest.len() >= layout::REPEATED_BYTES_MIN);
        let concepts = again.map(|rest| self.whole(rest, language).concepts).unwrap_or_default();
        Found { concepts, ..found }
    }

    fn whole(&self, word: &str, language: Language) -> Found {
        let at = language.index();
        let form = self.numbers.get(word).map(|number| &self.entries[*number]);
        let stem = self.numbers.get(stem_of(word, language)).copied();
        let (mut concepts, mut starts) =
            form.map(|form| (form.forms[at], form.starts[at])).unwrap_or_default();
        if let Some(stem) = stem.map(|stem| &self.entries[stem]) {
            concepts.add(stem.stems[at]);
            starts.add(stem.starts[at]);
        }
        Found { concepts, starts, stem }
    }

    /// The words that have each stem in a language.
    fn forms(&self, words: &[&str], language: Language) -> Forms {
        let mut forms = Forms::new();
        for (number, word) in words.iter().enumerate() {
            if let Some(stem) = self.numbers.get(stem_of(word, language)) {
                forms.entry(*stem).or_default().push(number);
            }
        }
        forms
    }

    fn lay_out(&self) -> Result<Vec<u8>> {
        let mut words: Vec<&str> = self.numbers.keys().map(String::as_str).collect();
        words.sort_unstable_by_key(|word| self.numbers[*word]);
        let (pilots, keys, count) = keys(&words)?;
        let mut sets = Sets::default();
        sets.number(Concepts::default(), Concepts::default())?;
        let mut nodes = Nodes::read(&self.phrases);
        for language in Language::ALL {
            nodes.tell_forms(language, &self.forms(&words, language));
        }
        let general = nodes.number()?;

        let mut records = vec![empty_record(); count];
        for (number, word) in words.iter().enumerate() {
            let entry = &self.entries[number];
            let record = &mut records[usize::from(keys[number]) - 1];
            let letters = layout::letters(word.as_bytes()).context("a word that is too long")?;
            let bytes = letters.iter().flat_map(|eight| eight.to_le_bytes());
            record.iter_mut().zip(bytes).for_each(|(room, byte)| *room = byte);
            for language in Language::ALL {
                let at = language.index();
                let found = self.find(word, language);
                let mut put =
                    |field: usize, value: u16| put(record, layout::field_at(field, at), value.to_le_bytes());
                put(field::FORM, sets.number(entry.forms[at], Concepts::default())?);
                put(field::KNOWN, sets.number(found.concepts, found.starts)?);
                put(field::STEMMED, sets.number(entry.stems[at], entry.starts[at])?);
                let (form, stem) = (Part::Form(number), Part::Stem(number));
                let of_stem = found.stem.map_or(form, Part::Stem);
                for (field, parts) in [(field::KNOWN, [form, of_stem]), (field::STEMMED, [stem, stem])] {
                    put(field + field::TO_ROOT, nodes.root(parts, language)?);
                    put(field + field::TO_CODE, nodes.code(parts, language));
                }
                let is_small = found.concepts.has(Concept::Function);
                let weight = u8::from(!found.concepts.is_empty()) + 2 * u8::from(is_small);
                record[layout::WEIGHTS_AT + at] = weight;
            }
        }
        let (nodes, edges) = nodes.lay_out(&mut sets)?;

        let mut file = layout::MAGIC.to_vec();
        let counts: [usize; layout::COUNTS] = [
            pilots.len(),
            count,
            sets.all.len(),
            nodes.len() / layout::NODE_LEN,
            edges.len() / layout::EDGE_LEN,
            general,
        ];
        for count in counts {
            file.extend(u32::try_from(count)?.to_le_bytes());
        }
        file.extend(pilots.into_iter().flat_map(u16::to_le_bytes));
        file.extend(records.concat());
        for (concepts, starts) in sets.all {
            let mut set = [0; layout::SET_LEN];
            put(&mut set, 0, concepts.bits().to_le_bytes());
            put(&mut set, layout::SET_LEN / 2, starts.bits().to_le_bytes());
            file.extend(set);
        }
        file.extend(nodes);
        file.extend(edges);
        Ok(file)
    }
}

/// The numbers of the forms of each stem.
type Forms = HashMap<usize, Vec<usize>>;

fn stem_of(word: &str, language: Language) -> &str {
    // A stem is a beginning of its word.
    &word[..language.stem(word.as_bytes()).len()]
}

fn put<const N: usize>(room: &mut [u8], at: usize, bytes: [u8; N]) {
    room[at..at + N].copy_from_slice(&bytes);
}

fn empty_record() -> [u8; layout::RECORD_LEN] {
    let mut record = [0; layout::RECORD_LEN];
    record[..layout::WORD_BYTES_MAX].as_chunks_mut().0.fill(NO_WORD.to_le_bytes());
    record
}

/// Chooses pilots so that each word has a place of its own: the pilots, the key of each word, and how many places
/// there are. Those that most words share are chosen first, while most places are free.
fn keys(words: &[&str]) -> Result<(Vec<u16>, Vec<u16>, usize)> {
    let count = words.len() * PLACE_PERCENT / 100 + 1;
    ensure!(count <= RECORDS_MAX, "the lists have more words than there are keys");
    let mut pilots = vec![0; words.len() / WORDS_PER_PILOT + 1];
    let mut shared: Vec<Vec<(usize, u64)>> = vec![Vec::new(); pilots.len()];
    for (number, word) in words.iter().enumerate() {
        let hash = layout::hash(&layout::letters(word.as_bytes()).context("a word that is too long")?);
        shared[layout::pilot_of(hash, pilots.len())].push((number, hash));
    }
    let mut order: Vec<usize> = (0..pilots.len()).collect();
    order.sort_by_key(|pilot| (std::cmp::Reverse(shared[*pilot].len()), *pilot));
    let mut is_taken = vec![false; count];
    let mut keys = vec![0; words.len()];
    for at in order {
        let fits = |pilot: &u16| {
            let mut own = HashSet::new();
            let mut all = shared[at].iter().map(|(_, hash)| layout::place(*hash, *pilot, count));
            all.all(|place| !is_taken[place] && own.insert(place))
        };
        let pilot = (0..=u16::MAX).find(fits).context("no pilot fits: try another number of places")?;
        pilots[at] = pilot;
        for (number, hash) in &shared[at] {
            let place = layout::place(*hash, pilot, count);
            is_taken[place] = true;
            keys[*number] = u16::try_from(place + 1)?;
        }
    }
    Ok((pilots, keys, count))
}

/// The sets, each once.
#[derive(Default)]
struct Sets {
    all: Vec<(Concepts, Concepts)>,
    numbers: HashMap<(Concepts, Concepts), u16>,
}

impl Sets {
    fn number(&mut self, concepts: Concepts, starts: Concepts) -> Result<u16> {
        let next = u16::try_from(self.all.len()).context("more sets than numbers")?;
        let number = *self.numbers.entry((concepts, starts)).or_insert(next);
        if number == next {
            self.all.push((concepts, starts));
        }
        Ok(number)
    }
}

/// The phrases, each a way through nodes; those of a language start at a node of its own.
struct Nodes {
    all: Vec<Node>,
    /// The number of each word by which a phrase of a language goes on; 0 before they are numbered.
    codes: BTreeMap<(usize, Part), u16>,
}

/// Where the words go on, and the concepts of the phrases that end here.
#[derive(Clone, Default)]
struct Node {
    next: BTreeMap<Part, usize>,
    ends: Concepts,
    language: usize,
}

impl Nodes {
    fn read(phrases: &[(Concept, Language, Vec<Part>)]) -> Self {
        let mut nodes = Self { all: vec![Node::default(); 1 + Language::ALL.len()], codes: BTreeMap::new() };
        for (concept, language, parts) in phrases {
            let mut node = Self::start(*language);
            for part in parts {
                let new = nodes.all.len();
                node = *nodes.all[node].next.entry(*part).or_insert(new);
                if node == new {
                    nodes.all.push(Node { language: language.index(), ..Node::default() });
                }
            }
            nodes.all[node].ends.add(Concepts::of(&[*concept]));
            nodes.codes.extend(parts[1..].iter().map(|part| ((language.index(), *part), 0)));
        }
        nodes
    }

    /// Numbers the words by which phrases go on, those of phrases that fit any work first; gives how many these are.
    fn number(&mut self) -> Result<usize> {
        let starts = Language::ALL.map(Self::start);
        let mut is_general = vec![None; self.all.len()];
        let mut general = HashSet::new();
        for (_, node) in self.all.iter().enumerate().filter(|(at, _)| !starts.contains(at)) {
            let parts = node.next.iter().filter(|(_, next)| self.leads_on(**next, &mut is_general));
            general.extend(parts.map(|(part, _)| (node.language, *part)));
        }
        let (first, last): (Vec<_>, Vec<_>) =
            self.codes.keys().copied().partition(|code| general.contains(code));
        for (before, code) in first.iter().chain(&last).enumerate() {
            let number = u16::try_from(before + 1).context("more words in phrases than numbers")?;
            self.codes.insert(*code, number);
        }
        Ok(first.len())
    }

    /// Whether a phrase that fits any work ends at a node or behind it.
    fn leads_on(&self, node: usize, known: &mut [Option<bool>]) -> bool {
        if let Some(leads) = known[node] {
            return leads;
        }
        let of_node = &self.all[node];
        let leads =
            of_node.ends.has_any(GENERAL) || of_node.next.values().any(|next| self.leads_on(*next, known));
        known[node] = Some(leads);
        leads
    }

    fn start(language: Language) -> usize {
        1 + language.index()
    }

    /// The node behind the first word of phrases, by its form or else by its stem; 0 if none starts so.
    fn root(&self, parts: [Part; 2], language: Language) -> Result<u16> {
        let next = &self.all[Self::start(language)].next;
        let root = parts.iter().find_map(|part| next.get(part)).copied().unwrap_or_default();
        u16::try_from(root).context("more nodes than numbers")
    }

    /// The number by which phrases go on with a word, by its form or else by its stem; 0 if none does.
    fn code(&self, parts: [Part; 2], language: Language) -> u16 {
        let codes = parts.iter().find_map(|part| self.codes.get(&(language.index(), *part)));
        codes.copied().unwrap_or_default()
    }

    /// Makes each form of which a phrase speaks go wherever its stem goes too, so that it is looked for once.
    fn tell_forms(&mut self, language: Language, forms: &Forms) {
        let mut is_told = HashSet::new();
        let mut nodes = vec![Self::start(language)];
        while let Some(node) = nodes.pop() {
            if !is_told.insert(node) {
                continue;
            }
            for (part, stem_next) in self.all[node].next.clone() {
                let Part::Stem(stem) = part else { continue };
                for form in forms.get(&stem).into_iter().flatten().map(|form| Part::Form(*form)) {
                    let is_spoken = node == Self::start(language) && self.all[node].next.contains_key(&form)
                        || self.codes.contains_key(&(language.index(), form));
                    if is_spoken {
                        let form_next = self.all[node].next.get(&form).copied().unwrap_or_default();
                        let both = self.union(form_next, stem_next);
                        self.all[node].next.insert(form, both);
                    }
                }
            }
            nodes.extend(self.all[node].next.values());
        }
    }

    /// A node from which all goes on that goes on from either of two.
    fn union(&mut self, one: usize, other: usize) -> usize {
        if one == 0 || other == 0 || one == other {
            return one.max(other);
        }
        let mut both = self.all[one].clone();
        let other = self.all[other].clone();
        both.ends.add(other.ends);
        for (part, node) in other.next {
            let known = both.next.get(&part).copied().unwrap_or_default();
            both.next.insert(part, self.union(known, node));
        }
        self.all.push(both);
        self.all.len() - 1
    }

    fn lay_out(&self, sets: &mut Sets) -> Result<(Vec<u8>, Vec<u8>)> {
        let starts = Language::ALL.map(Self::start);
        let edges = |node: usize| self.all[node].next.iter().filter(move |_| !starts.contains(&node));
        let count: usize = (0..self.all.len()).map(|node| edges(node).count()).sum();
        let mut slots = vec![0; count * SLOTS_PER_EDGE + layout::OVERFLOW_SLOTS];
        let mut nodes = Vec::new();
        for (node, of_node) in self.all.iter().enumerate() {
            nodes.extend(sets.number(of_node.ends, Concepts::default())?.to_le_bytes());
            for (part, next) in edges(node) {
                let code = self.codes[&(of_node.language, *part)];
                let edge = layout::edge(u16::try_from(node).context("more nodes than numbers")?, code);
                let first = layout::slot(edge, slots.len());
                let (_, usable) = slots.split_last_mut().context("there are slots")?;
                let free = usable[first..].iter_mut().find(|slot| **slot == 0);
                let next = u16::try_from(*next).context("more nodes than numbers")?;
                *free.context("no slot for an edge: have more of them")? =
                    edge | u64::from(next) << layout::EDGE_NODE_SHIFT;
            }
        }
        Ok((nodes, slots.into_iter().flat_map(u64::to_le_bytes).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::{FILE, generate};

    #[test]
    fn the_committed_words_are_what_the_lists_say() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
        let committed = std::fs::read(path).expect("the table is part of the repository");
        let made = generate().expect("the lists are right");
        // Not `assert_eq`: nobody reads the difference of two tables.
        assert!(committed == made, "run `cargo xtask gen words`");
    }
}
