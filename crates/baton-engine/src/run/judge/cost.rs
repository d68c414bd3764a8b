//! What an expression costs at most on given documents, worked out without evaluating it.
//!
//! One unit is one part of an expression evaluated once, or one value looked at, copied or compared. The parts are gone
//! through once each: a macro costs what it does with one entry, times the entries that its list can have.
//!
//! Invariant: an upper bound. What is not known is taken for the largest that it can be.

use std::collections::HashMap;
use std::rc::Rc;

use baton_document::Datum;
use baton_document::flow::expression::Deep;
use cel::Program;
use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, operators};

/// Bytes of a text that are looked at in one unit.
const UNIT_BYTES: u64 = 32;
/// Units of a value that is copied: it takes memory too.
const COPY: u64 = 4;
/// Functions and operators that give a number, or true or false.
const SCALARS: [&str; 24] = [
    operators::EQUALS,
    operators::NOT_EQUALS,
    operators::LESS,
    operators::LESS_EQUALS,
    operators::GREATER,
    operators::GREATER_EQUALS,
    operators::IN,
    operators::SUBSTRACT,
    operators::MULTIPLY,
    operators::DIVIDE,
    operators::MODULO,
    operators::NEGATE,
    "size",
    "int",
    "uint",
    "double",
    "bool",
    "type",
    "contains",
    "startsWith",
    "endsWith",
    "has",
    "matches",
    "hasValue",
];
/// Values that are looked at to tell what the parts of an expression can be; behind these, their sizes must do.
const LOOKED_MAX: usize = 1_000_000;
/// How much larger what a function gives can be than what it is given.
const GROWTH: u64 = 4;

/// How large a value can be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Size {
    /// Its entries, if it is a list or map.
    entries: u64,
    /// The most entries of a list or map in it.
    inner: u64,
    /// The most that a value in it weighs.
    largest: u64,
    /// Its values, and its text in units.
    weight: u64,
}

impl Size {
    const SCALAR: Self = Self { entries: 0, inner: 0, largest: 1, weight: 1 };

    fn of_text(bytes: usize) -> Self {
        Self { weight: 1 + u64::try_from(bytes).unwrap_or(u64::MAX) / UNIT_BYTES, ..Self::SCALAR }
    }

    /// The larger of two, in each respect.
    fn max(self, other: Self) -> Self {
        Self {
            entries: self.entries.max(other.entries),
            inner: self.inner.max(other.inner),
            largest: self.largest.max(other.largest),
            weight: self.weight.max(other.weight),
        }
    }

    /// Both put together.
    fn plus(self, other: Self) -> Self {
        Self {
            entries: self.entries.saturating_add(other.entries),
            inner: self.inner.max(other.inner),
            largest: self.largest.max(other.largest),
            weight: self.weight.saturating_add(other.weight),
        }
    }

    fn times(self, count: u64) -> Self {
        Self {
            entries: self.entries.saturating_mul(count),
            inner: self.inner,
            largest: self.largest,
            weight: self.weight.saturating_mul(count),
        }
    }

    /// Something in it.
    fn part(self) -> Self {
        Self { entries: self.inner, weight: self.largest, ..self }
    }

    /// A list or map with this in it.
    fn with(self, other: Self) -> Self {
        Self {
            entries: self.entries.saturating_add(1),
            inner: self.inner.max(other.entries).max(other.inner),
            largest: self.largest.max(other.weight),
            weight: self.weight.saturating_add(other.weight),
        }
    }
}

/// What is known of a value without evaluating anything.
#[derive(Clone)]
enum Abstract<'d> {
    /// It is one of these.
    Any(Rc<[&'d Datum<'d>]>),
    /// It is the list of these.
    Many(Rc<[&'d Datum<'d>]>),
    /// It is no larger than this.
    Sized(Size),
}

/// The documents that expressions are about, with the sizes of all lists and maps in them.
pub(super) struct Documents<'d> {
    all: Rc<[&'d Datum<'d>]>,
    /// Whether an expression sees the list of them, and not the only one.
    is_list: bool,
    sizes: HashMap<usize, Size>,
    whole: Size,
}

impl<'d> Documents<'d> {
    /// The document that `handoff` is.
    pub(super) fn one(document: &'d Datum<'d>) -> Self {
        Self::measured(vec![document], false)
    }

    /// The documents that `branches` is the list of.
    pub(super) fn list(documents: Vec<&'d Datum<'d>>) -> Self {
        Self::measured(documents, true)
    }

    fn measured(all: Vec<&'d Datum<'d>>, is_list: bool) -> Self {
        let mut sizes = HashMap::new();
        let mut whole = Size::SCALAR;
        for document in &all {
            whole = whole.with(measure(document, &mut sizes));
        }
        Self { all: all.into(), is_list, sizes, whole }
    }

    /// How many values they hold, with their text.
    pub(super) fn weight(&self) -> u64 {
        self.whole.weight
    }

    /// What a program costs on them at most; nothing if it uses what expressions of flows do not have.
    pub(super) fn estimate(&self, _: &Deep, program: &Program, variable: &str) -> Option<u64> {
        let all = Rc::clone(&self.all);
        let documents = if self.is_list { Abstract::Many(all) } else { Abstract::Any(all) };
        let mut estimate = Estimate {
            documents: self,
            variables: vec![(variable.to_owned(), documents)],
            cost: 0,
            looked: 0,
        };
        let result = estimate.part(program.expression())?;
        estimate.copies(&result);
        Some(estimate.cost)
    }

    fn size(&self, value: &Abstract<'_>) -> Size {
        match value {
            Abstract::Any(all) => all.iter().map(|datum| self.size_of(datum)).fold(Size::SCALAR, Size::max),
            Abstract::Many(_) => self.whole,
            Abstract::Sized(size) => *size,
        }
    }

    fn size_of(&self, datum: &Datum<'_>) -> Size {
        match datum {
            Datum::List(_) | Datum::Map(_) => self.sizes.get(&place(datum)).copied().unwrap_or(self.whole),
            Datum::Null | Datum::Boolean(_) | Datum::Number(_) => Size::SCALAR,
            Datum::Text(text) => Size::of_text(text.len()),
        }
    }
}

fn place(datum: &Datum<'_>) -> usize {
    std::ptr::from_ref(datum).addr()
}

fn measure(datum: &Datum<'_>, sizes: &mut HashMap<usize, Size>) -> Size {
    let mut whole = Size::SCALAR;
    match datum {
        Datum::Null | Datum::Boolean(_) | Datum::Number(_) => return Size::SCALAR,
        Datum::Text(text) => return Size::of_text(text.len()),
        Datum::List(items) => {
            for item in items {
                whole = whole.with(measure(item, sizes));
            }
        }
        Datum::Map(entries) => {
            for (key, value) in entries {
                let value = measure(value, sizes);
                whole = whole.with(value);
                whole.weight = whole.weight.saturating_add(Size::of_text(key.len()).weight);
            }
        }
    }
    sizes.insert(place(datum), whole);
    whole
}

/// Goes through a program once.
struct Estimate<'d> {
    documents: &'d Documents<'d>,
    variables: Vec<(String, Abstract<'d>)>,
    cost: u64,
    /// Values that were looked at for what a part can be.
    looked: usize,
}

impl<'d> Estimate<'d> {
    fn spend(&mut self, units: u64) {
        self.cost = self.cost.saturating_add(units);
    }

    fn size(&self, value: &Abstract<'_>) -> Size {
        self.documents.size(value)
    }

    /// A value is copied, and its memory taken.
    fn copies(&mut self, value: &Abstract<'_>) {
        let weight = self.size(value).weight;
        self.spend(weight.saturating_mul(COPY));
    }

    /// What a part of the program can be; what it costs to evaluate it once is spent.
    fn part(&mut self, part: &IdedExpr) -> Option<Abstract<'d>> {
        self.spend(1);
        Some(match &part.expr {
            Expr::Ident(name) => self.variable(name),
            Expr::Literal(literal) => Abstract::Sized(match literal {
                LiteralValue::String(text) => Size::of_text(text.inner().len()),
                LiteralValue::Bytes(bytes) => Size::of_text(bytes.inner().len()),
                LiteralValue::Boolean(_)
                | LiteralValue::Double(_)
                | LiteralValue::Int(_)
                | LiteralValue::Null
                | LiteralValue::UInt(_) => Size::SCALAR,
            }),
            Expr::Select(select) => {
                let operand = self.part(&select.operand)?;
                if select.test { Abstract::Sized(Size::SCALAR) } else { self.field(&operand, &select.field) }
            }
            Expr::Call(call) => self.call(call)?,
            Expr::List(list) => {
                let mut whole = Size::SCALAR;
                for element in &list.elements {
                    let element = self.part(element)?;
                    self.copies(&element);
                    whole = whole.with(self.size(&element));
                }
                Abstract::Sized(whole)
            }
            Expr::Map(map) => {
                let mut whole = Size::SCALAR;
                for entry in &map.entries {
                    let EntryExpr::MapEntry(entry) = &entry.expr else { return None };
                    for part in [&entry.key, &entry.value] {
                        let part = self.part(part)?;
                        self.copies(&part);
                        whole = whole.with(self.size(&part));
                    }
                }
                Abstract::Sized(whole)
            }
            Expr::Comprehension(over) => self.comprehension(over)?,
            Expr::Struct(_) | Expr::Unspecified => return None,
        })
    }

    fn variable(&self, name: &str) -> Abstract<'d> {
        let found = self.variables.iter().rev().find(|(known, _)| known == name);
        found.map_or(Abstract::Sized(Size::SCALAR), |(_, value)| value.clone())
    }

    fn field(&mut self, of: &Abstract<'d>, name: &str) -> Abstract<'d> {
        self.below(of, |datum| {
            let Datum::Map(entries) = datum else { return (None, &[][..], 1) };
            // Of keys that stand twice the language keeps the last.
            let found = entries.iter().rev().find(|(key, _)| key == name);
            (found.map(|(_, value)| value), &[][..], entries.len())
        })
    }

    /// What lies below a value that can be one of several: for each of them one value, several, or none, and how many were
    /// looked at for it. What that would take too long for is only known by its size.
    fn below(
        &mut self,
        of: &Abstract<'d>,
        find: impl Fn(&'d Datum<'d>) -> (Option<&'d Datum<'d>>, &'d [Datum<'d>], usize),
    ) -> Abstract<'d> {
        let Abstract::Any(all) = of else { return Abstract::Sized(self.size(of).part()) };
        let mut found = Vec::new();
        for datum in all.iter() {
            let (one, several, looked) = find(datum);
            self.looked = self.looked.saturating_add(looked).saturating_add(several.len());
            if self.looked > LOOKED_MAX {
                return Abstract::Sized(self.size(of).part());
            }
            found.extend(one);
            found.extend(several);
        }
        Abstract::Any(found.into())
    }

    fn call(&mut self, call: &CallExpr) -> Option<Abstract<'d>> {
        let mut given: Vec<Abstract<'d>> = Vec::with_capacity(call.args.len() + 1);
        for part in call.target.as_deref().into_iter().chain(&call.args) {
            given.push(self.part(part)?);
        }
        let sizes: Vec<Size> = given.iter().map(|value| self.size(value)).collect();
        let all = sizes.iter().fold(Size::default(), |all, one| all.plus(*one));
        Some(match (call.func_name.as_str(), sizes.as_slice()) {
            (operators::LOGICAL_AND | operators::LOGICAL_OR | operators::LOGICAL_NOT, _) => {
                Abstract::Sized(Size::SCALAR)
            }
            (operators::NOT_STRICTLY_FALSE, _) => Abstract::Sized(Size::SCALAR),
            (operators::CONDITIONAL, [_, yes, no]) => Abstract::Sized(yes.max(*no)),
            (operators::INDEX, [_, _]) => match (&given[0], call.args.get(1).map(|index| &index.expr)) {
                (of, Some(Expr::Literal(LiteralValue::String(key)))) => self.field(of, key.inner()),
                (of, _) => self.entry(of),
            },
            (operators::ADD, [_, _]) => {
                self.spend(all.weight.saturating_mul(COPY));
                Abstract::Sized(all)
            }
            // The size of a list is known; that of a text is counted.
            ("size", [_]) if is_counted(&given[0]) => Abstract::Sized(Size::SCALAR),
            (name, _) if SCALARS.contains(&name) => {
                self.spend(all.weight);
                Abstract::Sized(Size::SCALAR)
            }
            _ => {
                let weight = all.weight.saturating_mul(GROWTH).saturating_add(GROWTH);
                let grown = Size { weight, largest: weight, ..all };
                self.spend(grown.weight.saturating_mul(COPY));
                Abstract::Sized(grown)
            }
        })
    }

    /// What a macro does with one entry, times the entries.
    fn comprehension(&mut self, over: &ComprehensionExpr) -> Option<Abstract<'d>> {
        let range = self.part(&over.iter_range)?;
        let first = self.part(&over.accu_init)?;
        let entries = self.size(&range).entries;
        let item = self.item(&range);
        let before = self.variables.len();
        let outside = std::mem::take(&mut self.cost);
        self.variables.push((over.accu_var.clone(), first.clone()));
        self.variables.push((over.iter_var.clone(), item.clone()));
        self.variables.extend(over.iter_var2.clone().map(|name| (name, item.clone())));
        self.copies(&item);
        self.part(&over.loop_cond)?;
        let step = self.part(&over.loop_step)?;
        self.copies(&step);
        let once = std::mem::replace(&mut self.cost, outside);
        self.spend(once.saturating_add(2).saturating_mul(entries));
        // What a macro gathers grows by the same with each entry.
        let gathered = self.size(&first).plus(self.size(&step).times(entries));
        let gathered = Abstract::Sized(gathered);
        if let Some((_, known)) = self.variables.get_mut(before) {
            *known = gathered;
        }
        let result = self.part(&over.result)?;
        self.copies(&result);
        self.variables.truncate(before);
        Some(result)
    }

    /// What an index that is not known leads to.
    fn entry(&mut self, of: &Abstract<'d>) -> Abstract<'d> {
        match of {
            Abstract::Any(all) if all.iter().any(|datum| matches!(datum, Datum::Map(_))) => {
                Abstract::Sized(self.size(of).part())
            }
            Abstract::Any(_) | Abstract::Many(_) | Abstract::Sized(_) => self.item(of),
        }
    }

    /// An entry of a list, or a key of a map.
    fn item(&mut self, range: &Abstract<'d>) -> Abstract<'d> {
        match range {
            Abstract::Many(items) => Abstract::Any(Rc::clone(items)),
            Abstract::Sized(size) => Abstract::Sized(size.part()),
            Abstract::Any(all) if all.iter().any(|datum| matches!(datum, Datum::Map(_))) => {
                let size = self.size(range).part();
                let has_list = all.iter().any(|datum| matches!(datum, Datum::List(_)));
                // A key is a text.
                Abstract::Sized(if has_list { size } else { Size { entries: 0, inner: 0, ..size } })
            }
            Abstract::Any(_) => self.below(range, |datum| {
                let Datum::List(items) = datum else { return (None, &[][..], 1) };
                (None, items, 1)
            }),
        }
    }
}

/// Whether a value is a list or map, whose entries nobody has to count.
fn is_counted(value: &Abstract<'_>) -> bool {
    match value {
        Abstract::Any(all) => all.iter().all(|datum| matches!(datum, Datum::List(_) | Datum::Map(_))),
        Abstract::Many(_) => true,
        Abstract::Sized(_) => false,
    }
}
