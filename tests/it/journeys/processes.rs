//! Processes of a recording of a whole machine.

use super::{boxes, rows};
use crate::common::profiles::read_file;
use crate::common::shared;
use crate::common::stage::Stage;
use crate::common::text::{has, starts};

/// A trace by PerfView. Samples are those of `../shared/data/expected/etl/net.4.5.2.x64.json`, each of a millisecond.
#[test]
fn a_process_of_a_windows_trace_is_chosen() {
    let path = present!(shared("etl/net.4.5.2.x64.etl.zip"));
    let mut stage = Stage::new(read_file(&path), 120, 30);
    stage.press("P");
    let listed = boxes(&stage);
    starts(
        &listed,
        "[x]*Test.x64.exe [x]PerfView.exe [x]MsMpEng.exe [x]dwm.exe ",
    );
    for row in ["Test.x64.exe", "PerfView.exe", "MsMpEng.exe"] {
        assert!(
            stage.screen().contains(row),
            "{row} is not on\n{}",
            stage.screen()
        );
    }
    stage.press("a space");
    let listed = boxes(&stage);
    starts(&listed, "[x]*Test.x64.exe [ ]PerfView.exe ");
    assert_eq!(listed.matches("[x]").count(), 1);
    stage.press("enter");
    assert_eq!(rows(&stage)[1..], [">Process (3676) Test.x64.exe"]);
    for words in [
        "metric: CPU 5,129.0 ms  (samples 5,129)",
        "1,856.0",
        "95.8 Program.Main",
    ] {
        assert!(
            stage.screen().contains(words),
            "{words} is not on\n{}",
            stage.screen()
        );
    }
    stage.press("m j");
    has(stage.screen(), "5,129 (100.0 %) incl, 0 excl");
    stage.press("esc");
    assert!(rows(&stage).len() > 10, "all are back: {:?}", rows(&stage));
}
