//! Exported HTML pages: their numbers equal those of commands, and names in them are text.

use crate::common::json::{each, json, near, number, row, text};
use crate::common::run::{SAMPLE, dotspot, fails};
use crate::common::text::assert_contains;
use serde_json::Value;
use std::fs;

fn page_of(file: &str, args: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("report.html");
    let run = dotspot(&[&["export", file, "-o", out.to_str().unwrap()], args].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    assert_contains(&run.err, "dotspot can't open the page");
    fs::read_to_string(out).unwrap()
}

/// Checks that a page has these parts without printing the page, which is too long.
#[track_caller]
fn has_all(page: &str, parts: &[&str]) {
    let missing = parts.iter().find(|part| !page.contains(**part));
    assert_eq!(missing, None);
}

#[track_caller]
fn lacks(page: &str, part: &str) {
    let found = page.find(part).map(|at| page[at..].chars().take(80));
    assert_eq!(found.map(String::from_iter), None);
}

/// The data read by a page's script.
#[track_caller]
fn data_of(page: &str) -> Value {
    let (_, data) = page
        .split_once("<script type=application/json id=data>")
        .unwrap();
    serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap()
}

/// The cells of the row with this name in the first table that has one.
#[track_caller]
fn cells<'a>(page: &'a str, table: &str, name: &str) -> Vec<&'a str> {
    let (_, table) = page.split_once(table).unwrap();
    let (table, _) = table.split_once("</table>").unwrap();
    let named = format!("<b>{name}</b>");
    let row = table
        .split("<tr>")
        .find(|row| row.contains(&named))
        .unwrap();
    let text = |cell: &'a str| cell.split_once('>').unwrap().1;
    row.split("<td ").skip(1).map(text).collect()
}

#[test]
fn names_are_text_not_markup() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shop.folded");
    let names = "Main;<script>alert(1)</script>;a&b \"c\" 30\n\
                 Main;</script><img src=x onerror=hacked=1> 50\n\
                 Main;Shop.Sum\u{1b}[31m\u{2028}<!-- 20\n";
    fs::write(&file, names).unwrap();
    let page = page_of(file.to_str().unwrap(), &[]);
    for markup in ["<script>alert", "<img", "\u{1b}", "\u{2028}", "\"c\" 30"] {
        lacks(&page, markup);
    }
    // only the page's own two scripts, with nothing in them that looks like a comment
    for tag in ["<script", "</script"] {
        assert_eq!(page.matches(tag).count(), 2, "{tag}");
    }
    lacks(&page, "<!--");
    let parts = [
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "&lt;img src=x onerror=",
        "\\u{1b}[31m\\u{2028}&lt;!--",
    ];
    has_all(&page, &parts);
    let data = data_of(&page);
    let names: Vec<&str> = each(&data["names"]).filter_map(Value::as_str).collect();
    assert!(names.contains(&"<script>alert(1)</script>"), "{names:?}");
    assert!(
        names.contains(&"Shop.Sum\\u{1b}[31m\\u{2028}<!--"),
        "{names:?}"
    );
}

#[test]
fn a_page_is_one_small_file_that_fetches_nothing() {
    for file in [
        SAMPLE,
        "snapshots/js-ordered-consume.dtp",
        "snapshots/js-ordered-consume.calltree.json",
    ] {
        let page = page_of(file, &[]);
        assert!(page.len() < 500_000, "{file}: {} bytes", page.len());
        for address in [
            "http:", "https:", "//cdn", "src=", "url(", "@import", "fetch(", "XMLHttp",
        ] {
            lacks(&page, address);
        }
        has_all(&page, &["default-src 'none'"]);
    }
}

/// 5,208.6 ms of CPU, 1,617.2 of them in `PriceRules.Discount` (`expected/views/orderedconsume.json`).
#[test]
fn numbers_equal_those_of_commands() {
    let page = page_of(SAMPLE, &[]);
    has_all(
        &page,
        &["<h1>js-ordered-consume.nettrace</h1>", "CPU 5,208.6 ms"],
    );
    let hotspots = json("hotspots SAMPLE --top 10");
    for row in each(&hotspots["rows"]) {
        let name = text(&row["display"])
            .replace('<', "&lt;")
            .replace('>', "&gt;");
        let found = cells(&page, "exclusive: ", &name)[0].replace(',', "");
        assert_eq!(found, format!("{:.1}", number(&row["exclusive"])), "{name}");
    }
    let cells_of = |table| cells(&page, table, "PriceRules.Discount");
    assert_eq!(cells_of("exclusive: ")[0], "1,617.2");
    let inclusive = json("hotspots SAMPLE --top 100");
    let discount = row(&inclusive["rows"], "display", "PriceRules.Discount");
    let found = cells_of("inclusive: ")[0].replace(',', "");
    assert_eq!(found, format!("{:.1}", number(&discount["inclusive"])));
    let data = data_of(&page);
    let ms = |value: &Value| number(value) / 1e6;
    near(&hotspots["total"], ms(&data["frames"][2]));
    let timeline = json("timeline SAMPLE --buckets 240");
    let lanes = [&timeline["all"]]
        .into_iter()
        .chain(each(&timeline["lanes"]));
    let shown = data["time"]["lanes"].as_array().unwrap();
    assert!(shown.len() > 5);
    for (lane, shown) in lanes.zip(shown) {
        for part in ["running", "waiting"] {
            let buckets = each(&lane[part]).zip(each(&shown[part]));
            buckets.for_each(|(expect, found)| near(expect, ms(found)));
        }
    }
}

#[test]
fn a_page_respects_steps_and_parts() {
    let page = page_of(SAMPLE, &["--merge-threads", "--until", "2s"]);
    has_all(&page, &["CPU 1,397.4 ms", "0.000 s to 2.000 s"]);
    assert_eq!(data_of(&page)["time"]["to_ns"], 2_000_000_000u64);
    for (at, time) in ["0.0 s", "0.5 s", "1.0 s", "1.5 s"].iter().enumerate() {
        let mark = format!("<span style=\"left:{}.00%\">{time}</span>", 25 * at);
        has_all(&page, &[&mark]);
    }
    let page = page_of(SAMPLE, &["--method", "PriceRules.Discount"]);
    has_all(&page, &["PriceRules.Discount", "several subtrees are one"]);
    let page = page_of("snapshots/js-ordered-consume.calltree.json", &[]);
    has_all(&page, &["no timeline: "]);
}

/// A part has lanes for the threads that ran it.
#[test]
fn a_part_has_the_lanes_of_its_threads() {
    let tree = json("tree SAMPLE --merge-threads --depth 2");
    let node = each(&tree["rows"]).find(|row| row["depth"] == 2).unwrap();
    let page = page_of(SAMPLE, &["--merge-threads", "--node", text(&node["node"])]);
    let data = data_of(&page);
    let lanes = data["time"]["lanes"].as_array().unwrap();
    // spins count, too
    let sum = |lane: &Value| {
        let values = each(&lane["running"]).chain(each(&lane["waiting"]));
        values.map(number).sum::<f64>() / 1e6
    };
    let threads: f64 = lanes[1..].iter().map(sum).sum();
    assert!(lanes.len() > 2);
    near(&node["inclusive"], threads);
    near(&node["inclusive"], sum(&lanes[0]));
}

#[test]
fn a_page_is_written_like_other_files() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("a.html");
    let out = out.to_str().unwrap();
    fs::write(out, "mine").unwrap();
    fails(&["export", SAMPLE, "-o", out], 1, &["already exists"]);
    assert_eq!(fs::read_to_string(out).unwrap(), "mine");
    assert_eq!(dotspot(&["export", SAMPLE, "-o", out, "--force"]).code, 0);
    assert_contains(fs::read_to_string(out).unwrap(), "<!doctype html>");
    fails(&["info", out], 1, &["is not a profile dotspot can read"]);
}
