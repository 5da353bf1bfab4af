//! Methods across all their occurrences: `callers`, `callees` and `methods`. Expected numbers were computed by hand.

use super::{SAMPLE, dotspot, fails, refused, session, words, written};
use crate::common::json::{each, json, near, number, sum};

/// A calls itself through B and occurs three times: 70 in Main, of which the inner occurrence has 60, and 10 in Worker.
/// Its exclusive values are 3 and 20 in Main, and 10 in Worker.
const RECURSION: &str = "Main;A;B;A;C 40\nMain;A;B;A 20\nMain;A;B 5\nMain;A;D 1\nMain;A;E 1\nMain;A 3\nWorker;B;C 20\nWorker;A 10\n";

/// A user method has 10 exclusive samples and 30 in system code that it calls, which calls another user method for 5. 6 samples have
/// no user code.
const SYSTEM: &str = "Shop.Main;Shop.Sell;System.Linq.Enumerable.Any 30\n\
    Shop.Main;Shop.Sell;System.Linq.Enumerable.Any;Shop.IsOpen 5\n\
    Shop.Main;Shop.Sell 10\nShop.Main;System.Console.Write 4\nSystem.GC.Run 6\n";

#[test]
fn callers_count_recursion_once() {
    session(
        RECURSION,
        "
        $ callers FILE A
        callers of A, 3 occurrences: samples 80
        incl      %  excl  method
          80  100.0    33  A
          70   87.5     3    Main
          10   12.5    10    Worker
        (recursive: 1 inside others, where they are already counted)
        $ callers FILE C --depth 2 --min-percent 50
        callers of C, 2 occurrences: samples 60
        incl      %  excl  method
          60  100.0    60  C
          40   66.7    40    A
          40   66.7    40      B …
          20   33.3    20    B
          20   33.3    20      Worker
        (… has more callers: see --depth)
        # callees of the outermost occurrences
        $ callees FILE A
        callees of A, 3 occurrences: samples 80
        incl      %  excl  method
          80  100.0    13  A
          65   81.2     5    B
          60   75.0    20      A (recursive)
          40   50.0    40        C
           1    1.2     1    D
           1    1.2     1    E
        (recursive: 1 inside others, where they are already counted)
        # the two small callees of A are two levels below Main
        $ callees FILE Main --depth 2 --min-percent 10
        callees of Main, 1 occurrence: samples 70
        incl      %  excl  method
          70  100.0     0  Main
          70  100.0     3    A
          65   92.9     5      B …
           2    2.9     2      [2 more callees]
        (… has more callees: see --depth)
        ([…] marks the sum of rows with less than 10 %: see --min-percent)",
    );
}

#[test]
fn an_unknown_method_is_an_error() {
    for command in ["callers", "callees"] {
        refused(&format!("
            {command} SAMPLE PriceRules.Discuont | 2 | METHOD PriceRules.Discuont | PriceRules.Discount
            {command} SAMPLE Discount --metric heat | 2 | --metric heat | CPU, wall
            {command} SAMPLE PriceRules.Discount --thread 11036 | 2 | METHOD PriceRules.Discount | does not occur in this part
            {command} SAMPLE PriceRules.Discount --group type | 2 | --group
            {command} SAMPLE | 2 | <METHOD>"));
    }
}

#[test]
fn methods_include_the_system_code_that_they_call() {
    session(
        SYSTEM,
        "
        $ methods FILE
        All stacks: samples 55, by exclusive value
        excl     %  incl     %  own+system     %  occ  method
          30  54.5    35  63.6                      1  Enumerable.Any
          10  18.2    45  81.8          40  72.7    1  Shop.Sell
           6  10.9     6  10.9                      1  GC.Run
           5   9.1     5   9.1           5   9.1    1  Shop.IsOpen
           4   7.3     4   7.3                      1  Console.Write
           0   0.0    49  89.1           4   7.3    1  Shop.Main
                                         6  10.9       [no user caller]
        $ methods FILE --sort own-system --only-user-code
        All stacks: samples 55, by own + system, user code only
        excl     %  incl     %  own+system     %  occ  method
          10  18.2    45  81.8          40  72.7    1  Shop.Sell
           5   9.1     5   9.1           5   9.1    1  Shop.IsOpen
           0   0.0    49  89.1           4   7.3    1  Shop.Main
                                         6  10.9       [no user caller]
        $ methods FILE --sort total --limit 2
        All stacks: samples 55, by inclusive value
        excl     %  incl     %  own+system     %  occ  method
           0   0.0    49  89.1           4   7.3    1  Shop.Main
          10  18.2    45  81.8          40  72.7    1  Shop.Sell
                                         6  10.9       [no user caller]
        (4 more methods: --limit 0 lists all)
        $ methods FILE --sort name --filter isopen
        All stacks: samples 55, by name
        excl    %  incl    %  own+system    %  occ  method
           5  9.1     5  9.1           5  9.1    1  Shop.IsOpen
        # below Sell, the nearest user method is Sell or one of its callees
        $ methods FILE --under Sell --sort own-system
        All stacks, under Shop.Sell (1 outermost occurrence): samples 45, by own + system
        excl     %  incl      %  own+system     %  occ  method
          10  22.2    45  100.0          40  88.9    1  Shop.Sell
           5  11.1     5   11.1           5  11.1    1  Shop.IsOpen
          30  66.7    35   77.8                      1  Enumerable.Any",
    );
}

/// Of the 55 samples of [`SYSTEM`], the type `Shop`, which has no namespace, is on 49 stacks (30 + 5 + 10 + 4), twice on
/// the 5 of `IsOpen`. It has 15 exclusive samples (10 + 5) and 34 in system code (30 + 4).
/// `System.Linq` is on 35 stacks (30 + 5), `System` on 10 (4 + 6).
#[test]
fn group_totals_count_calls_within_the_group_once() {
    session(
        SYSTEM,
        "
        ~ hotspots FILE --group namespace --by inclusive
        All stacks: samples 55, by inclusive value
        excl % incl % namespace
        15 27.3 49 89.1 [no namespace]
        30 54.5 35 63.6 System.Linq
        10 18.2 10 18.2 System
        ~ hotspots FILE --group type --only-user-code
        All stacks: samples 55, by own + system, user code only
        own+system % excl % incl % type
        49 89.1 15 27.3 49 89.1 Shop
        6 10.9 [no user caller]
        ~ methods FILE --group type --filter console
        All stacks: samples 55, by exclusive value
        excl % incl % own+system % occ type
        4 7.3 4 7.3 1 System.Console",
    );
}

#[test]
fn methods_and_hotspots_agree() {
    let list = json("methods SAMPLE --limit 0");
    let hotspots = json("hotspots SAMPLE --top 0");
    assert_eq!(list["schema"], "dotspot.methods/1");
    assert_eq!(list["no_user_caller"], hotspots["no_user_caller"]);
    let rows = each(&list["rows"]);
    assert_eq!(rows.clone().count(), each(&hotspots["rows"]).count());
    for (row, hotspot) in rows.clone().zip(each(&hotspots["rows"])) {
        for member in [
            "name",
            "exclusive",
            "inclusive",
            "own_plus_system",
            "samples",
            "heaviest_node",
        ] {
            assert_eq!(row[member], hotspot[member], "{member} of {}", row["name"]);
        }
    }
    refused(
        "
        methods SAMPLE --sort calls | 2 | --sort calls: CPU of this profile has no calls
        methods SAMPLE --sort weight | 2 | weight | --sort
        methods SAMPLE --filter Price* | 2 | --filter Price*: no method matches
        callers SAMPLE Discount --thread 11050 | 2 | METHOD Discount: the method does not occur in this part",
    );
    let charged = rows.filter(|row| !row["own_plus_system"].is_null());
    let all = sum(charged, "own_plus_system") + number(&list["no_user_caller"]);
    near(&list["total"], all);
}

#[test]
fn an_inverted_tree_starts_with_exclusive_values() {
    session(
        SYSTEM,
        "
        $ tree FILE --inverted
        All stacks, inverted: samples 55
        excl      %  method
          55  100.0  All stacks
          30   54.5    Enumerable.Any
          30   54.5      Shop.Sell …
          10   18.2    Shop.Sell
          10   18.2      Shop.Main
           6   10.9    GC.Run
           5    9.1    Shop.IsOpen
           5    9.1      Enumerable.Any …
           4    7.3    Console.Write
           4    7.3      Shop.Main
        (… has more callers: see --depth)",
    );
    session(
        RECURSION,
        "
        $ tree FILE --inverted --depth 9 --min-percent 20
        All stacks, inverted: samples 100
        excl      %  method
         100  100.0  All stacks
          60   60.0    C
          40   40.0      A
          40   40.0        B
          40   40.0          A
          40   40.0            Main
          20   20.0      B
          20   20.0        Worker
          33   33.0    A
          20   20.0      B
          20   20.0        A
          20   20.0          Main
        (5 more nodes: see --min-percent and --depth)",
    );
    let document = json("tree SAMPLE --inverted --depth 1 --min-percent 0");
    assert_eq!(document["inverted"], true);
    near(&document["total"], 5208.643);
    // expected/views/orderedconsume.json
    let first = &document["rows"][1];
    assert_eq!(first["display"], "PriceRules.Discount");
    near(&first["inclusive"], 1617.229);
    assert!(first["goes_on"] == true && first["exclusive"] == 0.0);
    near(
        &document["total"],
        sum(each(&document["rows"]).skip(1), "inclusive"),
    );
}

#[test]
fn an_exported_inverted_tree_includes_the_rest() {
    let (_folder, file) = written("recursion.txt", RECURSION);
    // exclusive values: C 60, A 20 and 10 and 3, B 5, D and E 1 each
    for (line, expect) in [
        (
            "--depth 2 --min-percent 20",
            "A;B;[more callers] 20|A;[2 more callers] 13|C;A;[more callers] 40|C;B;[more callers] 20|[3 more methods] 7",
        ),
        (
            "--min-percent 0",
            "A;B;A;Main 20|A;Main 3|A;Worker 10|B;A;Main 5|C;A;B;A;Main 40|C;B;Worker 20|D;A;Main 1|E;A;Main 1",
        ),
    ] {
        let run = dotspot(&words(&format!(
            "export {file} --inverted --to collapsed {line}"
        )));
        let mut lines: Vec<&str> = run.out.lines().collect();
        lines.sort_unstable();
        assert_eq!((run.code, lines.join("|").as_str()), (0, expect));
    }
    fails(&["export", SAMPLE, "--depth", "3"], 2, &["--inverted"]);
}

/// Without .NET methods, everything outside the system is user code. Shares are those of `go tool pprof` and of the
/// sums in the collapsed file.
#[test]
fn programs_in_other_languages_have_user_code() {
    let shared = |file: &str| crate::common::shared(file).map(|path| path.display().to_string());
    let rust = Some("snapshots/two-threads.pb".to_string());
    for (file, expect) in [
        (rust, &["62.1  pp::discount", "37.1  pp::fib"][..]),
        (
            shared("collapsed/perf-vertx-stacks-01-collapsed-all.txt"),
            &["7.0  org/mozilla/javascript/ScriptableObject:.createSlot"],
        ),
        (
            shared("chrome/hello.cjs.cpuprofile"),
            &["20.6  (anonymous hello.cjs:1)"],
        ),
    ] {
        let Some(file) = file else { continue };
        let document = json(&format!("methods {file} --only-user-code"));
        let total = document["total"].as_f64().unwrap();
        let methods = document["rows"].as_array().unwrap();
        for (row, expect) in methods.iter().zip(expect) {
            let name = row["display"].as_str().unwrap();
            let share = row["own_plus_system"].as_f64().unwrap() / total * 100.0;
            assert_eq!(&format!("{share:.1}  {name}"), expect, "{file}");
        }
    }
}

/// The bundled recording: the methods of PriceRules take 1,620.0 ms together, Evaluate alone only 1.2 ms of it.
#[test]
fn a_type_pattern_is_the_name_of_its_callers_row() {
    let args = ["callers", SAMPLE, "PriceRules.*", "--depth", "1"];
    let run = dotspot(&args);
    let is_total = |row: &&str| row.contains("1,620.0  100.0");
    let row = run.out.lines().find(is_total).unwrap();
    assert!(row.trim_end().ends_with("  PriceRules.*"), "{row}");
    let document = json("callers SAMPLE PriceRules.* --depth 1");
    for member in ["name", "display"] {
        assert_eq!(document["rows"][0][member], "PriceRules.*");
    }
}
