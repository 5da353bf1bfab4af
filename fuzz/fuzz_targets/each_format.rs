//! Any bytes, read as the format that the first byte selects, even if it would not be detected.

#![no_main]

use dotspot::testing::importers::{FORMATS, ReadOptions};
use dotspot::testing::input::{Input, Progress};
use libfuzzer_sys::fuzz_target;
use std::io::Cursor;

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, rest)) = bytes.split_first() else {
        return;
    };
    let format = &FORMATS[usize::from(first) % FORMATS.len()];
    let stream = Box::new(Cursor::new(rest.to_vec()));
    let Ok(input) = Input::stream("a file", stream, Progress::default()) else {
        return;
    };
    if let Ok(recording) = (format.read)(input, &ReadOptions::default()) {
        dotspot_fuzz::check(recording);
    }
});
