//! Places of the handoffs of a dialect: the places of its files, and the entries of a file with several.

use super::super::{DialectKind, Entries, Field, Key, MapShape, Place, Shape};
use super::field::FIELDS_MAX;
use super::map::open_map;
use super::{AROUND, Compiler, NodeId, Position, Shared};

/// The places of one dialect.
const PLACES_MAX: usize = 64;

/// The characters of a place.
const PLACE_CHARS_MAX: usize = 1024;

impl Compiler<'_, '_> {
    pub(super) fn places(&mut self, root: NodeId) -> Vec<Place> {
        let Some(list) = self.tree.find(root, "places") else { return Vec::new() };
        let mut places = Vec::new();
        for item in self.tree.items(list) {
            if places.len() == PLACES_MAX {
                self.impossible(item, format!("a dialect has at most {PLACES_MAX} places"));
                break;
            }
            let text = self.tree.text(item);
            if text.len() > PLACE_CHARS_MAX {
                self.impossible(item, format!("a place has at most {PLACE_CHARS_MAX} characters"));
                continue;
            }
            let leads_out = text.starts_with('/') || text.split('/').any(|part| part == "..");
            let made = if self.is_shipped() { Place::known } else { Place::new };
            match made(text, self.settings) {
                Ok(_) if leads_out => {
                    self.impossible(item, "a place is a path below the root of the project".to_owned());
                }
                Ok(place) => places.push(place),
                Err(message) => self.impossible(item, message),
            }
        }
        places
    }

    /// Compiles the fields around the handoffs of a file.
    pub(super) fn entries(&mut self, at: NodeId, shared: &Shared<'_>) -> Entries {
        let sources: Vec<NodeId> = shared.around.into_iter().collect();
        let mut around = self.made(AROUND, &sources, None, None);
        self.refers_to_fields(&around.map);
        around.about = "What stands around the handoffs of a file.".into();
        let shared_keys = around.map.fields.iter().map(|field| field.key.clone()).collect();
        self.positions(&mut around);
        let path = self.path(at);
        self.entries_can_stand(at, &path.text, shared.key, &around.map);
        let first = path.text.split('.').next().unwrap_or_default();
        if around.map.fields.iter().all(|field| &*field.key.text != first) {
            let one = self.plain_field("", Position { in_list: true, ..Position::TOP }, open_map());
            let one = Field { path: path.text.clone(), ..one };
            let shape = match shared.key {
                Some(_) => Shape::Map(MapShape { values: Some(Box::new(one)), ..MapShape::default() }),
                None => Shape::List(Box::new(one)),
            };
            self.put_entries(&mut around, &path.text, shape);
        }
        if around.map.fields.len() > FIELDS_MAX {
            self.impossible(at, "there is no room around the entries for one more field".to_owned());
            around.map.fields.truncate(FIELDS_MAX);
        }
        let key = shared.key.map(|key| self.key(key, &[]));
        Entries { at: path, key, around, shared: shared_keys }
    }

    /// Puts the field of the entries into what stands around them, which needs it.
    pub(super) fn put_entries(&mut self, around: &mut DialectKind, path: &str, shape: Shape) {
        self.index = std::mem::take(&mut around.index);
        self.slots = u16::try_from(around.slots).unwrap_or(u16::MAX);
        let mut names: Vec<&str> = path.split('.').collect();
        let last = names.pop().unwrap_or_default();
        let parents = names.join(".");
        let mut field = self.plain_field(last, Position { path: &parents, ..Position::TOP }, shape);
        field.is_required = true;
        field.about = "The handoffs.".into();
        for at in (0..names.len()).rev() {
            let parents = names[..at].join(".");
            let map = MapShape { fields: vec![field], ..MapShape::default() };
            field =
                self.plain_field(names[at], Position { path: &parents, ..Position::TOP }, Shape::Map(map));
            field.leads_to_required = true;
        }
        around.map.fields.push(field);
        around.index = std::mem::take(&mut self.index);
        around.slots = usize::from(self.slots);
        around.words.resize(around.slots, Vec::new());
    }

    /// The fields that the path of a file gives.
    pub(super) fn captures(&mut self, shared: &Shared<'_>, places: &mut [Place]) -> Vec<Key> {
        let Some(map) = shared.captures else { return Vec::new() };
        let mut captures = Vec::new();
        for (key, _) in self.tree.entries(map) {
            let name = self.tree.text(key);
            if name.contains('.') {
                self.impossible(key, format!("`{name}` has a dot: a path gives fields at the top only"));
            } else if !places.iter().any(|place| place.captures().any(|capture| capture == name)) {
                self.impossible(key, format!("no place has a capture `{{{name}}}`"));
            } else {
                captures.push(self.key(name, &[]));
            }
        }
        if let Some(message) = places.iter_mut().find_map(|place| place.take_captures().err()) {
            self.impossible(map, message);
        }
        captures
    }

    /// A capture with a dot means a field, so that there must be one.
    pub(super) fn captured_fields(&mut self, root: NodeId, places: &[Place], kinds: &[DialectKind]) {
        let Some(list) = self.tree.find(root, "places") else { return };
        for item in self.tree.items(list) {
            let place = places.iter().find(|place| *place.text == *self.tree.text(item));
            let names = place.into_iter().flat_map(Place::captures).filter(|name| name.contains('.'));
            for name in names {
                if kinds.iter().all(|kind| kind.slot(name).is_none()) {
                    self.impossible(item, format!("`{{{name}}}` is the path of no field"));
                }
            }
        }
    }
}
