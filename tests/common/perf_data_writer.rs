//! Writes `perf.data` files as described in Linux' `perf.data-file-format.txt` and `perf_event.h`. perf can read them,
//! too.

/// The fields of samples, numbered as in `perf_event.h`.
const IDENTIFIER: u64 = 1 << 16;
pub const FIELDS: u64 = IDENTIFIER | 1 | 1 << 1 | 1 << 2 | 1 << 5 | 1 << 8;
pub const KERNEL: u64 = -128i64 as u64;
pub const USER: u64 = -512i64 as u64;
const CPU_MODE_KERNEL: u16 = 1;
pub const CPU_MODE_USER: u16 = 2;

pub struct Writer {
    pub fields: u64,
    pub records: Vec<u8>,
    features: Vec<(u32, Vec<u8>)>,
}

impl Writer {
    pub fn new() -> Writer {
        Writer {
            fields: FIELDS,
            records: Vec::new(),
            features: Vec::new(),
        }
    }

    pub fn words(&self, words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    pub fn halves(&self, halves: &[u32]) -> Vec<u8> {
        halves.iter().flat_map(|half| half.to_le_bytes()).collect()
    }

    fn text(&self, text: &str) -> Vec<u8> {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(text.len() / 8 * 8 + 8, 0);
        bytes
    }

    pub fn record(&mut self, kind: u32, misc: u16, body: &[u8]) {
        self.records.extend(kind.to_le_bytes());
        self.records.extend(misc.to_le_bytes());
        let size = (body.len() + 8) as u16;
        self.records.extend(size.to_le_bytes());
        self.records.extend(body);
    }

    /// A record other than a sample, with the fields that follow each of them: thread, time, and the event's id.
    pub fn other(&mut self, kind: u32, misc: u16, time: u64, body: Vec<u8>) {
        let trailer = [self.halves(&[7, 7]), self.words(&[time, 100])].concat();
        self.record(kind, misc, &[body, trailer].concat());
    }

    pub fn comm(&mut self, time: u64, pid: u32, tid: u32, name: &str) {
        let body = [self.halves(&[pid, tid]), self.text(name)].concat();
        self.other(3, 0, time, body);
    }

    pub fn fork(&mut self, time: u64, [pid, parent, tid, parent_tid]: [u32; 4]) {
        let ids = self.halves(&[pid, parent, tid, parent_tid]);
        let body = [ids, self.words(&[time])].concat();
        self.other(7, 0, time, body);
    }

    pub fn mmap(&mut self, time: u64, pid: u32, [start, size, offset]: [u64; 3], path: &str) {
        let is_kernel = pid == u32::MAX;
        let mode = if is_kernel {
            CPU_MODE_KERNEL
        } else {
            CPU_MODE_USER
        };
        let place = self.words(&[start, size, offset]);
        let body = [self.halves(&[pid, pid]), place, self.text(path)].concat();
        self.other(1, mode, time, body);
    }

    /// A sample with an event's id, its period, and the call chain.
    pub fn sample(&mut self, time: u64, (pid, tid): (u32, u32), event: (u64, u64), chain: &[u64]) {
        let head = self.words(&[event.0, chain[1]]);
        let rest = self.words(&[&[event.1, chain.len() as u64], chain].concat());
        let is_kernel = chain[0] == KERNEL;
        let mode = if is_kernel {
            CPU_MODE_KERNEL
        } else {
            CPU_MODE_USER
        };
        let body = [head, self.halves(&[pid, tid]), self.words(&[time]), rest].concat();
        self.record(9, mode, &body);
    }

    /// Records the build id of a file.
    pub fn build_id(&mut self, path: &str, id: &[u8; 20]) {
        let path = self.text(path);
        let size = (8 + 4 + 24 + path.len()) as u16;
        let (mode, size) = (CPU_MODE_USER.to_le_bytes(), size.to_le_bytes());
        let mut row = self.halves(&[0]);
        row.extend([mode, size].concat());
        row.extend([self.halves(&[u32::MAX]), id.to_vec(), vec![0; 4], path].concat());
        self.features.push((2, row));
    }

    pub fn named(&mut self, feature: u32, text: &str) {
        let text = self.text(text);
        let bytes = [self.halves(&[text.len() as u32]), text].concat();
        self.features.push((feature, bytes));
    }

    /// The complete file, with two events: `cpu-clock` with ids 100 and 101, and `page-faults` with 200.
    pub fn file(&self) -> Vec<u8> {
        const HEAD: u64 = 104;
        const ATTR: u64 = 64;
        let attr = |config: u64| {
            const SAMPLE_ID_ALL: u64 = 1 << 18;
            let fields = [config, 1, self.fields, 0, SAMPLE_ID_ALL, 0, 0];
            [self.halves(&[1, ATTR as u32]), self.words(&fields)].concat()
        };
        let ids = HEAD + 2 * (ATTR + 16);
        let data = ids + 24;
        let mut bits = [0u64; 4];
        for (bit, _) in &self.features {
            bits[0] |= 1 << bit;
        }
        let attrs = [HEAD, ATTR + 16, HEAD, 2 * (ATTR + 16)];
        let places = [&attrs[..], &[data, self.records.len() as u64, 0, 0]].concat();
        let mut file = [b"PERFILE2".to_vec(), self.words(&places), self.words(&bits)].concat();
        file.extend([attr(0), self.words(&[ids, 16])].concat());
        file.extend([attr(2), self.words(&[ids + 16, 8])].concat());
        file.extend(self.words(&[100, 101, 200]));
        file.extend(&self.records);
        let mut features = self.features.clone();
        features.sort();
        let mut at = (file.len() + 16 * features.len()) as u64;
        for (_, bytes) in &features {
            file.extend(self.words(&[at, bytes.len() as u64]));
            at += bytes.len() as u64;
        }
        features.iter().for_each(|(_, bytes)| file.extend(bytes));
        file
    }
}
