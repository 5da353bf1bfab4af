//! Fresh `perf.data` recordings, where perf works: stacks and times equal those in the output of this machine's `perf script`.

use crate::common::profiles::{by_stack, process_names, read_file, thread_names};
use crate::common::skipped;
use dotspot::testing::model::{MetricId, NodeId, View};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The workload: processes, system calls, recursion in libraries.
const WORKLOAD: &str =
    "for i in 1 2; do seq 1 20000 | sort -R | md5sum; ls -lR /usr/share > /dev/null; done";

/// Records with these options; returns whether perf succeeded.
fn record(file: &Path, options: &[&str]) -> bool {
    let mut perf = Command::new("perf");
    perf.args(["record", "-q", "-e", "cpu-clock", "-g"])
        .args(options);
    perf.arg("-o").arg(file).args(["--", "sh", "-c", WORKLOAD]);
    perf.output().is_ok_and(|output| output.status.success())
}

/// Names in the vdso are left out: if it has no build id, `perf script` takes them from its own process.
fn stacks(profile: &View) -> BTreeMap<Vec<String>, u64> {
    let mut sums = BTreeMap::new();
    for (mut stack, samples) in by_stack(profile, MetricId(0), NodeId::ROOT) {
        let in_vdso = stack.iter_mut().filter(|name| name.starts_with("[vdso]!"));
        in_vdso.for_each(|name| name.truncate("[vdso]".len()));
        *sums.entry(stack).or_insert(0) += samples;
    }
    sums
}

#[test]
#[cfg(target_os = "linux")]
fn perf_data_and_perf_script_agree() {
    let folder = tempfile::tempdir().unwrap();
    for (name, options) in [("a", &[][..]), ("z", &["-z"]), ("u", &["-F", "500"])] {
        let file = folder.path().join(format!("{name}.perf.data"));
        if !record(&file, options) {
            skipped("perf can't record here");
            return;
        }
        let text = folder.path().join(format!("{name}.perf"));
        let mut script = Command::new("perf");
        script.args(["script", "-F", "+pid", "-i"]).arg(&file);
        std::fs::write(&text, script.output().unwrap().stdout).unwrap();
        let [profile, printed] = [&file, &text].map(|path| read_file(path));
        assert_eq!(process_names(&profile), process_names(&printed));
        assert_eq!(thread_names(&profile), thread_names(&printed));
        assert_eq!(stacks(&profile), stacks(&printed), "{name}");
    }
}
