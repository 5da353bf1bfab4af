//! Writes pprof profiles field by field, for tests.
/// A number in groups of seven bits.
pub fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// A message of fields.
#[derive(Clone, Default)]
pub struct Message(pub Vec<u8>);

impl Message {
    /// A number. Zeros are omitted, as writers do.
    pub fn number(mut self, field: u64, value: u64) -> Message {
        if value != 0 {
            varint(field << 3, &mut self.0);
            varint(value, &mut self.0);
        }
        self
    }

    /// Bytes: a string, a message, packed numbers.
    pub fn bytes(mut self, field: u64, bytes: &[u8]) -> Message {
        varint(field << 3 | 2, &mut self.0);
        varint(bytes.len() as u64, &mut self.0);
        self.0.extend_from_slice(bytes);
        self
    }

    pub fn message(self, field: u64, message: Message) -> Message {
        self.bytes(field, &message.0)
    }

    /// Packed numbers.
    pub fn packed(self, field: u64, numbers: &[u64]) -> Message {
        let mut bytes = Vec::new();
        numbers
            .iter()
            .for_each(|&number| varint(number, &mut bytes));
        self.bytes(field, &bytes)
    }
}

/// A profile with its strings.
#[derive(Default)]
pub struct Writer {
    strings: Vec<String>,
    fields: Message,
}

impl Writer {
    /// The index of a string, added if it is new.
    pub fn string(&mut self, text: &str) -> u64 {
        if self.strings.is_empty() {
            self.strings.push(String::new());
        }
        let known = self.strings.iter().position(|string| string == text);
        known.unwrap_or_else(|| {
            self.strings.push(text.into());
            self.strings.len() - 1
        }) as u64
    }

    pub fn add(&mut self, field: u64, message: Message) {
        self.fields = std::mem::take(&mut self.fields).message(field, message);
    }

    pub fn number(&mut self, field: u64, value: u64) {
        self.fields = std::mem::take(&mut self.fields).number(field, value);
    }

    /// The type of one of the samples' values.
    pub fn sample_type(&mut self, what: &str, unit: &str) {
        let (what, unit) = (self.string(what), self.string(unit));
        self.add(1, Message::default().number(1, what).number(2, unit));
    }

    /// A function with a file and a first line.
    pub fn function(&mut self, id: u64, name: &str, file: &str, line: u64) {
        let (name, file) = (self.string(name), self.string(file));
        let function = Message::default().number(1, id).number(2, name);
        self.add(5, function.number(4, file).number(5, line));
    }

    /// A location with the functions inlined there, innermost first.
    pub fn location(&mut self, id: u64, mapping: u64, address: u64, functions: &[u64]) {
        let location = Message::default().number(1, id);
        let mut location = location.number(2, mapping).number(3, address);
        for &function in functions {
            location = location.message(4, Message::default().number(1, function).number(2, 7));
        }
        self.add(4, location);
    }

    /// A sample: locations, innermost first, values, and labels.
    pub fn sample(&mut self, locations: &[u64], values: &[u64], labels: &[(&str, &str)]) {
        let mut sample = Message::default().packed(1, locations).packed(2, values);
        for (key, text) in labels {
            let (key, text) = (self.string(key), self.string(text));
            sample = sample.message(3, Message::default().number(1, key).number(2, text));
        }
        self.add(2, sample);
    }

    pub fn finish(self) -> Vec<u8> {
        let strings = self.strings.iter().map(String::as_bytes);
        strings
            .fold(self.fields, |fields, text| fields.bytes(6, text))
            .0
    }
}
