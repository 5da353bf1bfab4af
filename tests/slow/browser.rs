//! The page and the picture in a real browser: no error, no request, and search, zoom and lanes work.

#![cfg(unix)]

use crate::common::missing;
use crate::common::run::{SAMPLE, dotspot};
use crate::common::text::{has, lacks};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Chromium with a page, spoken to over its own protocol: JSON that ends with a zero byte.
struct Browser {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    /// What it was told last.
    last: u64,
    session: Option<String>,
    /// What it has told of without being asked.
    events: Vec<Value>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// None where there is no Chromium.
    fn open(file: &Path) -> Option<Browser> {
        let Ok(profile) = tempfile::tempdir() else {
            return None;
        };
        let has_it = Command::new("chromium").arg("--version").output().is_ok();
        if !has_it {
            missing("chromium is not installed");
            return None;
        }
        // it speaks on the files 3 and 4
        let mut child = Command::new("sh")
            .args(["-c", "exec chromium \"$@\" 3<&0 4>&1 1>&2", "sh"])
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--remote-debugging-pipe",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (to, from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut browser = Browser {
            child,
            to,
            from: BufReader::new(from),
            last: 0,
            session: None,
            events: Vec::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attached = json!({"targetId": target["targetId"], "flatten": true});
        let session = browser.call("Target.attachToTarget", attached);
        browser.session = session["sessionId"].as_str().map(String::from);
        for part in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{part}.enable"), json!({}));
        }
        let size = json!({"width": 1200, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        browser.call("Emulation.setDeviceMetricsOverride", size);
        let url = format!("file://{}", file.display());
        browser.call("Page.navigate", json!({"url": url}));
        browser.wait_for("Page.loadEventFired");
        Some(browser)
    }

    fn read(&mut self) -> Value {
        let mut message = Vec::new();
        self.from.read_until(0, &mut message).unwrap();
        assert_eq!(message.pop(), Some(0), "the browser has ended");
        serde_json::from_slice(&message).unwrap()
    }

    fn wait_for(&mut self, event: &str) {
        while !self.events.iter().any(|known| known["method"] == event) {
            let message = self.read();
            self.events.push(message);
        }
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let mut message = json!({"id": self.last, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        self.to
            .write_all(format!("{message}\0").as_bytes())
            .unwrap();
        loop {
            let answer = self.read();
            if answer["id"] == self.last {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    /// The value of an expression on the page.
    fn value(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.call("Runtime.evaluate", params);
        assert!(
            answer["exceptionDetails"].is_null(),
            "{expression}: {answer}"
        );
        answer["result"]["value"].clone()
    }

    fn text(&mut self, expression: &str) -> String {
        let value = self.value(expression);
        value
            .as_str()
            .unwrap_or_else(|| panic!("{expression}: {value}"))
            .into()
    }

    /// Clicks into an element, at a part of its width, as a user does.
    fn click(&mut self, element: &str, part: f64) {
        let place = self.value(&format!(
            "(() => {{ const it = {element}; it.scrollIntoView({{block: 'center'}}); \
             const {{left, top, width, height}} = it.getBoundingClientRect(); \
             return [left + width * {part}, top + height / 2]; }})()"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    fn key(&mut self, key: &str, text: &str) {
        for kind in ["keyDown", "keyUp"] {
            let text = if kind == "keyDown" { text } else { "" };
            self.call(
                "Input.dispatchKeyEvent",
                json!({"type": kind, "key": key, "text": text}),
            );
        }
    }

    /// Nothing went wrong, and nothing but the file itself was read.
    #[track_caller]
    fn is_quiet(&mut self) {
        self.value("new Promise((done) => setTimeout(done, 50))");
        let bad = [
            "Runtime.exceptionThrown",
            "Runtime.consoleAPICalled",
            "Log.entryAdded",
        ];
        let is_bad = |event: &&Value| bad.iter().any(|bad| event["method"] == *bad);
        assert_eq!(self.events.iter().find(is_bad), None);
        let requests = self
            .events
            .iter()
            .filter(|event| event["method"] == "Network.requestWillBeSent");
        let urls: Vec<&Value> = requests
            .map(|event| &event["params"]["request"]["url"])
            .collect();
        assert_eq!(urls.len(), 1, "{urls:?}");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A browser that shows what `export` has made.
fn shown(file: &str, out: &str, args: &[&str]) -> Option<(Browser, tempfile::TempDir)> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join(out);
    let run = dotspot(&[&["export", file, "-o", out.to_str().unwrap()], args].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    Some((Browser::open(&out)?, folder))
}

const GRAPH: &str = "document.querySelectorAll('#graph i')";

#[test]
fn a_page_is_searched_and_zoomed() {
    let (mut browser, _folder) = present!(shown(SAMPLE, "a.html", &["--merge-threads"]));
    let drawn = |browser: &mut Browser| browser.value(&format!("{GRAPH}.length")).as_u64();
    let all = drawn(&mut browser);
    assert!(all > Some(100), "{all:?}");
    assert_eq!(
        browser.text("document.getElementById('frame').textContent.split(': ')[1]"),
        "5,208.6 ms (100.0 %)"
    );
    browser.key("/", "/");
    browser.call("Input.insertText", json!({"text": "pricerules.disc"}));
    // all but what is too narrow for the graph of the 1,618.9 ms that it has
    has(
        browser.text("document.getElementById('found').textContent"),
        "1 methods in the graph: 1,61",
    );
    let rows = "[...document.querySelectorAll('#hotspots tr:not([hidden]) b')]";
    assert_eq!(
        browser.text(&format!("{rows}.map((b) => b.textContent).join()")),
        "PriceRules.Discount,PriceRules.Discount"
    );
    browser.key("Escape", "");
    assert_eq!(
        browser.text("document.getElementById('found').textContent"),
        ""
    );
    let frame = format!("[...{GRAPH}].find((it) => it.textContent === 'PriceRules.Discount')");
    browser.click(&frame, 0.5);
    assert_eq!(browser.text(&format!("{frame}.style.width")), "100%");
    assert!(drawn(&mut browser) < all);
    browser.click(&format!("{GRAPH}[0]"), 0.5);
    assert_eq!(drawn(&mut browser), all);
    browser.is_quiet();
}

#[test]
fn a_click_on_a_lane_tells_of_the_moment() {
    let (mut browser, _folder) = present!(shown(SAMPLE, "a.html", &[]));
    let lane = "document.querySelectorAll('.lane.of svg')[1]";
    browser.click(lane, 0.502);
    let told = browser.text("document.getElementById('moment').textContent");
    // the middle of 8.127 s
    has(&told, ", 4.06");
    has(&told, "running");
    assert!(
        browser
            .value("document.querySelectorAll('#moment li').length")
            .as_u64()
            > Some(2),
        "{told}"
    );
    browser.click("document.querySelector('#moment b')", 0.1);
    let name = browser.text("document.querySelector('#moment b').textContent");
    assert_eq!(
        browser.text("document.getElementById('search').value"),
        name
    );
    browser.is_quiet();
}

#[test]
fn names_never_become_markup() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.folded");
    let names = "Main;<script>hacked=1</script> 30\nMain;</script><img src=x onerror=hacked=1> 50\nMain;\u{2028}<!-- 20\n";
    fs::write(&file, names).unwrap();
    for out in ["a.html", "a.svg"] {
        let (mut browser, _folder) = present!(shown(file.to_str().unwrap(), out, &[]));
        assert_eq!(browser.text("typeof hacked"), "undefined");
        assert_eq!(browser.value("document.querySelectorAll('img').length"), 0);
        let all = browser.text("document.documentElement.textContent");
        has(&all, "<script>hacked=1</script>");
        lacks(&all, "\u{2028}");
        browser.is_quiet();
    }
}

#[test]
fn a_picture_is_searched_and_zoomed() {
    let (mut browser, _folder) = present!(shown(SAMPLE, "a.svg", &["--merge-threads"]));
    browser.value("search('PriceRules.Discount')");
    has(
        browser.text("document.getElementById('matched').textContent"),
        "31",
    );
    let frame = "[...document.querySelectorAll('#frames g')].find((it) => it.textContent.startsWith('PriceRules.Discount'))";
    browser.click(&format!("{frame}.querySelector('rect')"), 0.5);
    assert_eq!(
        browser.text(&format!(
            "{frame}.querySelector('rect').getAttribute('width')"
        )),
        "100.0000%"
    );
    browser.is_quiet();
}
