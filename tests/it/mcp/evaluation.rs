//! Six questions about each recording, asked by a client with a fixed sequence of calls. Answers are compared with independent
//! measurements; calls and tokens are limited.

use super::session::Session;
use super::{snapshots, text_of};
use crate::common::shared_folder;
use crate::tokens::real_tokens;
use serde_json::{Value, json};
use std::fs;

/// Limits for each question.
const MAX_CALLS: usize = 4;
const MAX_TOKENS: usize = 3_000;

struct Recording {
    file: &'static str,
    /// The hottest user method, its own + system value as listed, and its caller.
    hottest: [&'static str; 3],
    /// The longest wait and its duration; empty if the format records no waits.
    waits: &'static str,
    /// The busiest thread; empty if threads are not distinguished.
    busy: &'static str,
    /// A method, and what remains without it.
    saving: [&'static str; 2],
    /// An earlier recording, and parts of the comparison with it.
    before: (&'static str, &'static [&'static str]),
    /// The codes of uncertainties; empty if there are none.
    uncertain: &'static [&'static str],
}

/// Times of `.nettrace` are from `expected/views` and `expected/te`, of `.dtp` from dotTrace and `expected/views`, of `.etl` from
/// `expected/etl`. `time_range.threads` has threads, `drop` savings, `own_plus_system` the hottest method; `compare-orderedconsume.json`,
/// `te` and `dtp/expected` have both sides of a comparison. Only one `.etl` has samples: it is compared with itself.
///
/// There is no independent source for codes of uncertainties, for callers in `short31`, `profile.dtp` and the `.etl`, nor for names of
/// waits other than `Thread.Join`: these only detect changes.
const RECORDINGS: [Recording; 12] = [
    // 12,019.710 - 3,409.985; main joins its two threads, which run 6.0 s by the program's own clock
    Recording {
        file: "net10/cpubound.nettrace",
        hottest: ["Hot.Sixty", "59.7 7.176 ", "Hot.Pick"],
        waits: "6,015.1 0 Program.Main: Thread.Join()",
        busy: "Thread (10755): CPU 6,002.4 ms, wall 6,010.9 ms",
        saving: [
            "Hot.Thirty",
            "8,609.7 of 12,019.7 ms left, 3,410.0 ms (28.4 %) saved",
        ],
        before: ("cpubound.speedscope.json", &["12.020 → 12.020 s"]),
        uncertain: &[],
    },
    // the same samples in another format
    Recording {
        file: "net10/cpubound.speedscope.json",
        hottest: ["Hot.Sixty", "59.7 7.176 ", "Hot.Pick"],
        waits: "6,015.1 0 Program.Main: Thread.Join()",
        busy: "Thread (10755): CPU 6,002.4 ms, wall 6,010.9 ms",
        saving: [
            "Hot.Thirty",
            "8,609.7 of 12,019.7 ms left, 3,410.0 ms (28.4 %) saved",
        ],
        before: ("cpubound.nettrace", &["12.020 → 12.020 s"]),
        uncertain: &[],
    },
    // 5,208.643 - 1,620.048
    Recording {
        file: "net10/orderedconsume.nettrace",
        hottest: [
            "PriceRules.Discount",
            "31.1 1,618.9 ",
            "PriceRules.Evaluate",
        ],
        waits: "Program.Main: TaskAwaiter<Int32>.GetResult → Monitor.Wait, awaits tasks (Thread (11036) main)",
        busy: "Thread (11054) .NET pool: CPU 1,464.5 ms, wall 8,012.0 ms",
        saving: [
            "PriceRules.Evaluate",
            "3,588.6 of 5,208.6 ms left, 1,620.0 ms (31.1 %) saved",
        ],
        before: (
            "orderedconsume-regressed.nettrace",
            &[
                "11.406 → 5.209 s (-6.197, ×0.46)",
                "| ● | `PriceRules.Discount` | 6.387 | 1.619 | -4.769 ±",
            ],
        ),
        uncertain: &["caution gc-polls: 10.8 %", "caution waits-on-cpu: 46.6 %"],
    },
    // 11,405.556 - 6,420.271; compare-orderedconsume.json: Discount, which calls system code only, 1,618.895 -> 6,387.489
    Recording {
        file: "net10/orderedconsume-regressed.nettrace",
        hottest: ["PriceRules.Discount", "56.0 6.387 ", "PriceRules.Evaluate"],
        waits: "Program.Main: TaskAwaiter<Int32>.GetResult → Monitor.Wait, awaits tasks (Thread (11114) main)",
        busy: "Thread (11132) .NET pool: CPU 3,332.0 ms, wall 8,009.2 ms",
        saving: [
            "PriceRules.Evaluate",
            "4,985.3 of 11,405.6 ms left, 6,420.3 ms (56.3 %) saved",
        ],
        before: (
            "orderedconsume.nettrace",
            &[
                "5.209 → 11.406 s (+6.197, ×2.19)",
                "| ● | `PriceRules.Discount` | 1.619 | 6.387 | +4.769 ±",
            ],
        ),
        uncertain: &["caution gc-polls: ", "caution waits-on-cpu: "],
    },
    // the same samples in another format, which rounds differently
    Recording {
        file: "net10/orderedconsume-regressed.speedscope.json.gz",
        hottest: ["PriceRules.Discount", "56.0 6.387 ", "PriceRules.Evaluate"],
        waits: "Program.Main: TaskAwaiter<Int32>.GetResult → Monitor.Wait, awaits tasks (Thread (11114) main)",
        busy: "CPU 3,332.0 ms, wall 8,009.2 ms",
        saving: ["PriceRules.Evaluate", " ms (56.3 %) saved"],
        before: (
            "orderedconsume.speedscope.json.gz",
            &["`PriceRules.Discount` | 1.619 | 6.387 | +4.769 ±"],
        ),
        uncertain: &["caution gc-polls: ", "caution waits-on-cpu: "],
    },
    // 18,050.615 - 17,907.911; the callers are in `callers`; te/deepstacks-mutual.json has 15,189 samples, 4,191 of them with
    // 100 frames, not all of which are truncated
    Recording {
        file: "net10/deepstacks-mutual.nettrace",
        hottest: ["Burn.Spin", "99.2 17.908 ", "Walker.Leaf"],
        waits: "Program.Main: Thread.Join()",
        busy: "Thread (10904): CPU 6,021.4 ms, wall 6,027.7 ms",
        saving: [
            "Burn.Spin",
            "142.7 of 18,050.6 ms left, 17,907.9 ms (99.2 %) saved",
        ],
        before: (
            "deepstacks-cycle.nettrace",
            &[
                "12.068 → 18.051 s",
                "| ● | `Burn.Spin` | 11.903 | 17.908 | +6.004 ±",
            ],
        ),
        uncertain: &[" of 15,189 samples (27."],
    },
    // te/short31.json: 1,971.967 + 1,796.631 + 1.382 - 1,796.631; 688 of its 5,400 stacks have 100 frames
    Recording {
        file: "nettrace/short31.nettrace",
        hottest: ["Deep.Level", "52.3 1,970.8 ", "Deep.Run"],
        waits: "Program.Main: TaskAwaiter.GetResult → ManualResetEventSlim.Wait, awaits tasks (Thread (6881) main)",
        busy: "Thread (6890): CPU 1,972.0 ms, wall 1,996.9 ms",
        saving: ["Shallow.Run", "1,973.3 of 3,770.0 ms left"],
        before: (
            "deep31.nettrace",
            &[
                "6,582.0 → 3,770.0 ms",
                "| ● | `Deep.Level` | 3,374.4 | 1,970.8 | -1,403.6 ±",
                "3.500 s were recorded before and 2.001 s after",
            ],
        ),
        uncertain: &[
            "warning stacks-truncated: 688 of ",
            "caution cpu-incomplete: ",
        ],
    },
    // 3,525.9 - 520.453; none of the three includes waiting
    Recording {
        file: "dtp/Issue254.dtp",
        hottest: [
            "RecursiveDescentSyntaxParser<IN,OUT>.ParseNonTerminal",
            "57.1 2,014.5 ",
            "EBNFRecursiveDescentSyntaxParser<IN,OUT>.Parse",
        ],
        waits: "3,579.1 0 [no user caller]: outside managed code (2 threads: Thread 2 (finalizer), Thread 1 (main))",
        busy: "Thread 1 (main): time 3,547.6 ms",
        saving: [
            "List<T>.InsertRange",
            "3,005.4 of 3,525.9 ms left, 520.5 ms (14.8 %) saved",
        ],
        before: (
            "baseline.dtp",
            &["51.302 → 7.105 s", "sampling is compared with tracing"],
        ),
        uncertain: &[
            "times are inflated in proportion to calls",
            "caution threads-wait: ",
        ],
    },
    // 487.856 ms
    Recording {
        file: "dtp/profile.dtp",
        hottest: ["Body.ToString", "53.6 3.800 ", "Body.calculateManyForce"],
        waits: "[no user caller]: [Native code, no managed frames]",
        busy: "Thread 1 (main): time 7,110.9 ms",
        saving: ["List<T>.AddRange", " 0.488 s (6.9 %) saved"],
        before: (
            "profile_multi.dtp",
            &["4.307 → 20.176 s", "| ● | `Body.ToString` |", "| 3.800 |"],
        ),
        uncertain: &["caution threads-wait: "],
    },
    // 139 and 83 samples of 10.10101 ms, of 224
    Recording {
        file: "two-threads.pb",
        hottest: ["pp::discount", "62.1 1,404.0 ", "pp::evaluate::{{closure}}"],
        waits: "",
        busy: "Thread orders: samples 139, cpu 1,404.0 ms",
        saving: [
            "pp::fib",
            "1,424.2 of 2,262.6 ms left, 838.4 ms (37.1 %) saved",
        ],
        before: ("net10/cpubound.nettrace", &["no method is in both"]),
        uncertain: &[],
    },
    // Test.x64.exe has 5,129 of 6,320 samples, 4,684 of them in DateTime.Now; Main has no user code above it
    Recording {
        file: "etl/net.4.5.2.x64.etl.zip",
        hottest: ["Program.Main", "95.8 4,912.0 ", "clr!?"],
        waits: "",
        busy: "Thread (3680) of process 3676 Test.x64.exe: CPU 5,128.0 ms",
        saving: [
            "DateTime.get_Now",
            "445.0 of 5,129.0 ms left, 4,684.0 ms (91.3 %) saved",
        ],
        before: ("net.4.5.2.x64.etl.zip", &["No differences"]),
        uncertain: &[
            "warning nameless-frames: 28.9 % of CPU is spent in frames without a name. 76.6 %",
            "warning samples-without-stack: 2 ",
        ],
    },
    // SHOP: Sell has 10 exclusive and 30 in system code; without its 45 of 55, 10 are left; before and after are 55, but 10 moved to Main
    Recording {
        file: "shop.folded",
        hottest: ["Shop.Sell", "72.7 40 ", "Shop.Main"],
        waits: "",
        busy: "",
        saving: ["Shop.Sell", "10 of 55 left, 45 (81.8 %) saved"],
        before: ("shop-before.folded", &["45 → 55 (+10, ×1.22)"]),
        uncertain: &[],
    },
];

const SHOP: &str = "Shop.Main;Shop.Sell;System.Linq.Enumerable.Any 30\n\
    Shop.Main;Shop.Sell;System.Linq.Enumerable.Any;Shop.IsOpen 5\n\
    Shop.Main;Shop.Sell 10\nShop.Main;System.Console.Write 4\nSystem.GC.Run 6\n";

/// A client that counts calls and tokens.
struct Client {
    session: Session,
    file: String,
    calls: usize,
    tokens: usize,
    wrong: Vec<String>,
}

impl Client {
    fn call(&mut self, tool: &str, mut arguments: Value) -> String {
        arguments["profile"] = self.file.as_str().into();
        self.calls += 1;
        let (text, _) = text_of(&self.session.call(1, tool, arguments));
        self.tokens += real_tokens(&text);
        // hints name tools, never command-line options
        let mentions_commands = text.contains("`dotspot ") || text.contains(" --");
        self.expect("in words of tools", !mentions_commands, &text);
        text
    }

    fn expect(&mut self, what: &str, is_right: bool, text: &str) {
        if !is_right {
            self.wrong.push(format!("{} {what}:\n{text}", self.file));
        }
    }

    /// Checks the limits at the end of a question.
    fn end(&mut self, question: &str) {
        let (calls, tokens) = (
            std::mem::take(&mut self.calls),
            std::mem::take(&mut self.tokens),
        );
        let is_cheap = calls <= MAX_CALLS && tokens <= MAX_TOKENS;
        self.expect(
            question,
            is_cheap,
            &format!("{calls} calls, {tokens} tokens"),
        );
    }

    fn hottest(&mut self, [method, values, caller]: [&str; 3]) {
        let list = self.call("hotspots", json!({"user_code": true, "budget": 600}));
        let first = list
            .lines()
            .skip_while(|line| !line.starts_with("own+system%"))
            .nth(1);
        let is_right = first
            .is_some_and(|row| row.starts_with(values) && row.ends_with(&format!(" {method}")));
        self.expect("hottest user method", is_right, &list);
        let callers = self.call(
            "callers",
            json!({"method": method, "depth": 1, "budget": 600}),
        );
        let first = callers.lines().find(|row| row.starts_with("1 "));
        let is_right =
            first.is_some_and(|row| row.trim_end_matches(" …").ends_with(&format!(" {caller}")));
        self.expect("its callers", is_right, &callers);
        self.end("hottest");
    }

    fn waits(&mut self, expect: &str) {
        let text = self.call("waits", json!({"budget": 600}));
        let row = text
            .lines()
            .skip_while(|line| !line.starts_with("% waits"))
            .nth(1);
        let is_right = match expect {
            "" => text.contains("has no waits") || text.contains("waits are not recorded"),
            _ => row.is_some_and(|row| row.contains(expect)),
        };
        self.expect("what waits", is_right, &text);
        self.end("waits");
    }

    fn ask(&mut self, recording: &Recording) {
        self.hottest(recording.hottest);
        self.waits(recording.waits);
        let info = self.call("info", json!({"budget": 1_200}));
        let first = info
            .lines()
            .find(|line| line.starts_with("thread ") && line.contains("Thread "));
        let is_busy =
            recording.busy.is_empty() || first.is_some_and(|row| row.contains(recording.busy));
        self.expect("busy threads", is_busy, &info);
        self.end("busy");
        let [method, left] = recording.saving;
        let text = self.call(
            "hotspots",
            json!({"steps": [format!("drop:{method}")], "budget": 300}),
        );
        self.expect("saving", text.contains(left), &text);
        self.end("saving");
        let (before, says) = recording.before;
        let text = self.call("compare", json!({"before": before, "budget": 900}));
        let is_right = says.iter().all(|words| text.contains(words));
        self.expect("comparison", is_right, &text);
        self.end("comparison");
        let info = self.call("info", json!({"budget": 1_200}));
        let listed = recording.uncertain.iter().all(|what| info.contains(what));
        let is_quiet = recording.uncertain.is_empty();
        let alerts = ["\ncaution ", "\nwarning "]
            .iter()
            .any(|word| info.contains(word));
        self.expect("what is uncertain", listed && !(is_quiet && alerts), &info);
        self.end("uncertain");
    }
}

#[test]
fn six_questions_are_answered_correctly_in_few_calls() {
    let shared = present!(shared_folder());
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("shop.folded"), SHOP).unwrap();
    let before = SHOP.replace("Shop.Sell 10\n", "Shop.Sell 0\n");
    fs::write(folder.path().join("shop-before.folded"), before).unwrap();
    let folders = [
        &snapshots(),
        shared.to_str().unwrap(),
        folder.path().to_str().unwrap(),
    ];
    let mut client = Client {
        session: Session::ready(&folders),
        file: String::new(),
        calls: 0,
        tokens: 0,
        wrong: Vec::new(),
    };
    for recording in &RECORDINGS {
        client.file = recording.file.into();
        client.ask(recording);
    }
    assert!(client.wrong.is_empty(), "{}", client.wrong.join("\n\n"));
}
