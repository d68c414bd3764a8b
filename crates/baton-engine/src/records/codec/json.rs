//! Writes events as JSON, byte for byte as `serde_json` would.
//!
//! Every handoff writes three events, of names that need no escaping and of short numbers and words. A writer that knows
//! this takes half of what a general one does. A text that must be escaped is still left to `serde_json`.
//!
//! Cannot: write what no event has, which is floating numbers, bytes, and keys that are no text.

use std::fmt;

use serde::ser::{
    Error, Impossible, Serialize, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

/// Writes a value behind what is there.
pub(super) fn write(into: &mut Vec<u8>, value: &impl Serialize) -> Result<(), Unwritable> {
    value.serialize(&mut Writer(into))
}

/// Why something cannot be written.
#[derive(Debug)]
pub(super) struct Unwritable(String);

impl fmt::Display for Unwritable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for Unwritable {}

impl Error for Unwritable {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

struct Writer<'w>(&'w mut Vec<u8>);

impl Writer<'_> {
    /// Writes text that needs no escaping, with its quotes.
    #[inline]
    fn word(&mut self, text: &str) {
        self.0.push(b'"');
        self.0.extend_from_slice(text.as_bytes());
        self.0.push(b'"');
    }

    /// Opens the only entry of a map: a variant with what it holds.
    #[inline]
    fn variant(&mut self, name: &str) {
        self.0.push(b'{');
        self.word(name);
        self.0.push(b':');
    }

    /// Writes a number, two digits at a time.
    fn digits(&mut self, mut number: u64) {
        let mut text = [0; 20];
        let mut at = text.len();
        while number >= 10 {
            at -= 2;
            text[at..at + 2].copy_from_slice(&PAIRS[(number % 100) as usize]);
            number /= 100;
        }
        if number > 0 || at == text.len() {
            at -= 1;
            text[at] = b'0' + (number % 10) as u8;
        }
        self.0.extend_from_slice(&text[at..]);
    }
}

/// The numbers below a hundred, with two digits each.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[b'0'; 2]; 100];
    let mut number: u8 = 0;
    while number < 100 {
        pairs[number as usize] = [b'0' + number / 10, b'0' + number % 10];
        number += 1;
    }
    pairs
};

/// What is written between two brackets.
struct Several<'s, 'w> {
    writer: &'s mut Writer<'w>,
    /// What stands behind the last one.
    end: &'static str,
    is_first: bool,
}

impl<'s, 'w> Several<'s, 'w> {
    #[inline]
    fn open(writer: &'s mut Writer<'w>, begin: u8, end: &'static str) -> Self {
        writer.0.push(begin);
        Self { writer, end, is_first: true }
    }

    #[inline]
    fn next(&mut self) {
        if !std::mem::replace(&mut self.is_first, false) {
            self.writer.0.push(b',');
        }
    }

    #[inline]
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
        self.next();
        value.serialize(&mut *self.writer)
    }

    /// An entry whose key is the name of a field.
    #[inline]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Unwritable> {
        self.next();
        self.writer.word(name);
        self.writer.0.push(b':');
        value.serialize(&mut *self.writer)
    }

    #[inline]
    fn close(self) {
        self.writer.0.extend_from_slice(self.end.as_bytes());
    }
}

impl<'s, 'w> Serializer for &'s mut Writer<'w> {
    type Ok = ();
    type Error = Unwritable;
    type SerializeSeq = Several<'s, 'w>;
    type SerializeTuple = Several<'s, 'w>;
    type SerializeTupleStruct = Several<'s, 'w>;
    type SerializeTupleVariant = Several<'s, 'w>;
    type SerializeMap = Impossible<(), Unwritable>;
    type SerializeStruct = Several<'s, 'w>;
    type SerializeStructVariant = Several<'s, 'w>;

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<(), Unwritable> {
        self.0.extend_from_slice(if value { b"true" } else { b"false" });
        Ok(())
    }

    #[inline]
    fn serialize_i8(self, value: i8) -> Result<(), Unwritable> {
        self.serialize_i64(value.into())
    }

    #[inline]
    fn serialize_i16(self, value: i16) -> Result<(), Unwritable> {
        self.serialize_i64(value.into())
    }

    #[inline]
    fn serialize_i32(self, value: i32) -> Result<(), Unwritable> {
        self.serialize_i64(value.into())
    }

    #[inline]
    fn serialize_i64(self, value: i64) -> Result<(), Unwritable> {
        if value < 0 {
            self.0.push(b'-');
        }
        self.digits(value.unsigned_abs());
        Ok(())
    }

    #[inline]
    fn serialize_u8(self, value: u8) -> Result<(), Unwritable> {
        self.serialize_u64(value.into())
    }

    #[inline]
    fn serialize_u16(self, value: u16) -> Result<(), Unwritable> {
        self.serialize_u64(value.into())
    }

    #[inline]
    fn serialize_u32(self, value: u32) -> Result<(), Unwritable> {
        self.serialize_u64(value.into())
    }

    #[inline]
    fn serialize_u64(self, value: u64) -> Result<(), Unwritable> {
        self.digits(value);
        Ok(())
    }

    fn serialize_f32(self, _: f32) -> Result<(), Unwritable> {
        Err(Unwritable::custom("no event has a floating number"))
    }

    fn serialize_f64(self, _: f64) -> Result<(), Unwritable> {
        Err(Unwritable::custom("no event has a floating number"))
    }

    fn serialize_char(self, value: char) -> Result<(), Unwritable> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<(), Unwritable> {
        let is_escaped = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
        // All of them are looked at, whatever the first says: that is done many at once.
        if value.bytes().fold(false, |any, byte| any | is_escaped(byte)) {
            return serde_json::to_writer(&mut *self.0, value).map_err(Unwritable::custom);
        }
        self.word(value);
        Ok(())
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<(), Unwritable> {
        Err(Unwritable::custom("no event has bytes"))
    }

    #[inline]
    fn serialize_none(self) -> Result<(), Unwritable> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Unwritable> {
        value.serialize(self)
    }

    #[inline]
    fn serialize_unit(self) -> Result<(), Unwritable> {
        self.0.extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Unwritable> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_unit_variant(self, _: &str, _: u32, name: &'static str) -> Result<(), Unwritable> {
        self.word(name);
        Ok(())
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &str, value: &T) -> Result<(), Unwritable> {
        value.serialize(self)
    }

    #[inline]
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        value: &T,
    ) -> Result<(), Unwritable> {
        self.variant(name);
        value.serialize(&mut *self)?;
        self.0.push(b'}');
        Ok(())
    }

    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<Several<'s, 'w>, Unwritable> {
        Ok(Several::open(self, b'[', "]"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Several<'s, 'w>, Unwritable> {
        Ok(Several::open(self, b'[', "]"))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Several<'s, 'w>, Unwritable> {
        Ok(Several::open(self, b'[', "]"))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<Several<'s, 'w>, Unwritable> {
        self.variant(name);
        Ok(Several::open(self, b'[', "]}"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Unwritable> {
        Err(Unwritable::custom("no event has keys that are no names"))
    }

    #[inline]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Several<'s, 'w>, Unwritable> {
        Ok(Several::open(self, b'{', "}"))
    }

    #[inline]
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<Several<'s, 'w>, Unwritable> {
        self.variant(name);
        Ok(Several::open(self, b'{', "}}"))
    }
}

/// What serde asks of each kind of several values, which are written alike: a function that takes the next one, and an end.
macro_rules! written_alike {
    ($($kind:ident: $next:ident($($name:ident: $of:ty)?) by $by:ident,)+) => {$(
        impl $kind for Several<'_, '_> {
            type Ok = ();
            type Error = Unwritable;

            #[inline]
            fn $next<T: Serialize + ?Sized>(&mut self, $($name: $of,)? value: &T) -> Result<(), Unwritable> {
                self.$by($($name,)? value)
            }

            #[inline]
            fn end(self) -> Result<(), Unwritable> {
                self.close();
                Ok(())
            }
        }
    )+};
}

written_alike! {
    SerializeSeq: serialize_element() by item,
    SerializeTuple: serialize_element() by item,
    SerializeTupleStruct: serialize_field() by item,
    SerializeTupleVariant: serialize_field() by item,
    SerializeStruct: serialize_field(name: &'static str) by field,
    SerializeStructVariant: serialize_field(name: &'static str) by field,
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_kernel::{Choice, Counts, Ending, Event, Key, LaneId, Millis, StepId};

    fn is_same(value: &impl Serialize) {
        let mut written = Vec::new();
        write(&mut written, value).expect("it can be written");
        let usual = serde_json::to_string(value).expect("it can be written");
        assert_eq!(String::from_utf8(written).expect("it is text"), usual);
    }

    #[test]
    fn every_event_is_written_as_it_always_was() {
        let golden = include_str!("../../../../baton-kernel/tests/all/golden.json");
        let events: Vec<Event> = serde_json::from_str(golden).expect("events");
        assert!(events.len() > 30);
        events.iter().for_each(is_same);
    }

    #[test]
    fn numbers_and_texts_are_written_as_json_has_them() {
        for power in 0..20 {
            let power = 10_u64.pow(power);
            for number in [power - 1, power, power + 1, power.saturating_mul(7), u64::MAX - power] {
                is_same(&number);
            }
        }
        is_same(&[i64::MIN, -1, 0, 1, i64::MAX]);
        (0..=0x80_u32).filter_map(char::from_u32).for_each(|char| is_same(&format!("a{char}b")));
        is_same(&["", "ü → 😀", "quoted \"words\" and a \\", "two\nlines"]);
        is_same(&(Some(true), None::<u8>, 'x', (), [[1_u8; 0]; 1]));
        is_same(&Key { number: 907, lane: LaneId(0), step: StepId(u16::MAX) });
        is_same(&(
            Choice::Go(StepId(3)),
            Choice::Halt,
            Counts::default(),
            Ending::Cancelled("a \u{1}".into()),
        ));
        is_same(&Millis(1_700_000_000_000));
    }
}
