//! Any bytes, in the detected format and container.

#![no_main]

use dotspot::testing::importers::import;
use dotspot::testing::input::{Input, Progress};
use libfuzzer_sys::fuzz_target;
use std::io::Cursor;

fuzz_target!(|bytes: &[u8]| {
    let stream = Box::new(Cursor::new(bytes.to_vec()));
    let Ok(input) = Input::stream("a file", stream, Progress::default()) else {
        return;
    };
    if let Ok(recording) = import(input) {
        dotspot_fuzz::check(recording);
    }
});
