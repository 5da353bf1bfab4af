//! Exported HTML pages and SVG files in a real browser: no errors or network requests, and search, zoom and lanes work.

#![cfg(unix)]

use crate::common::missing;
use crate::common::run::{SAMPLE, dotspot};
use crate::common::text::{assert_contains, assert_lacks};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A Chromium instance showing one page, driven through the DevTools pipe: NUL-terminated JSON messages.
struct Browser {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    /// The id of the latest command.
    last_id: u64,
    session: Option<String>,
    /// Events received so far.
    events: Vec<Value>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Returns `None` if Chromium is not installed.
    fn open(file: &Path) -> Option<Browser> {
        let Ok(profile) = tempfile::tempdir() else {
            return None;
        };
        let is_installed = Command::new("chromium").arg("--version").output().is_ok();
        if !is_installed {
            missing("chromium is not installed");
            return None;
        }
        // the DevTools pipe uses file descriptors 3 and 4
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
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut browser = Browser {
            child,
            stdin,
            stdout: BufReader::new(stdout),
            last_id: 0,
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
        self.stdout.read_until(0, &mut message).unwrap();
        assert_eq!(message.pop(), Some(0), "the browser has exited");
        serde_json::from_slice(&message).unwrap()
    }

    fn wait_for(&mut self, event: &str) {
        while !self.events.iter().any(|known| known["method"] == event) {
            let message = self.read();
            self.events.push(message);
        }
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let mut message = json!({"id": self.last_id, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        self.stdin
            .write_all(format!("{message}\0").as_bytes())
            .unwrap();
        loop {
            let answer = self.read();
            if answer["id"] == self.last_id {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    /// Evaluates an expression in the page.
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

    /// Clicks an element at a fraction of its width with real mouse events.
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

    /// Asserts that there were no errors or console messages, and no request except for the file itself.
    #[track_caller]
    fn assert_quiet(&mut self) {
        self.value("new Promise((done) => setTimeout(done, 50))");
        let error_events = [
            "Runtime.exceptionThrown",
            "Runtime.consoleAPICalled",
            "Log.entryAdded",
        ];
        let is_error = |event: &&Value| error_events.iter().any(|error| event["method"] == *error);
        assert_eq!(self.events.iter().find(is_error), None);
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

/// Exports a profile and opens the result in a browser.
fn export_and_open(file: &str, out: &str, args: &[&str]) -> Option<(Browser, tempfile::TempDir)> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join(out);
    let run = dotspot(&[&["export", file, "-o", out.to_str().unwrap()], args].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    Some((Browser::open(&out)?, folder))
}

const GRAPH: &str = "document.querySelectorAll('#graph i')";

#[test]
fn a_page_can_be_searched_and_zoomed() {
    let (mut browser, _folder) = present!(export_and_open(SAMPLE, "a.html", &["--merge-threads"]));
    let frame_count = |browser: &mut Browser| browser.value(&format!("{GRAPH}.length")).as_u64();
    let all = frame_count(&mut browser);
    assert!(all > Some(100), "{all:?}");
    assert_eq!(
        browser.text("document.getElementById('frame').textContent.split(': ')[1]"),
        "5,208.6 ms (100.0 %)"
    );
    browser.key("/", "/");
    browser.call("Input.insertText", json!({"text": "pricerules.disc"}));
    // methods too narrow to be drawn are missing from the total of 1,618.9 ms
    assert_contains(
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
    assert!(frame_count(&mut browser) < all);
    browser.click(&format!("{GRAPH}[0]"), 0.5);
    assert_eq!(frame_count(&mut browser), all);
    browser.assert_quiet();
}

#[test]
fn clicking_a_lane_shows_the_stack_at_that_moment() {
    let (mut browser, _folder) = present!(export_and_open(SAMPLE, "a.html", &[]));
    let lane = "document.querySelectorAll('.lane.of svg')[1]";
    browser.click(lane, 0.502);
    let moment = browser.text("document.getElementById('moment').textContent");
    // the midpoint of 8.127 s
    assert_contains(&moment, ", 4.06");
    assert_contains(&moment, "running");
    assert!(
        browser
            .value("document.querySelectorAll('#moment li').length")
            .as_u64()
            > Some(2),
        "{moment}"
    );
    browser.click("document.querySelector('#moment b')", 0.1);
    let name = browser.text("document.querySelector('#moment b').textContent");
    assert_eq!(
        browser.text("document.getElementById('search').value"),
        name
    );
    browser.assert_quiet();
}

#[test]
fn names_never_become_markup() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.folded");
    let names = "Main;<script>hacked=1</script> 30\nMain;</script><img src=x onerror=hacked=1> 50\nMain;\u{2028}<!-- 20\n";
    fs::write(&file, names).unwrap();
    for out in ["a.html", "a.svg"] {
        let (mut browser, _folder) = present!(export_and_open(file.to_str().unwrap(), out, &[]));
        assert_eq!(browser.text("typeof hacked"), "undefined");
        assert_eq!(browser.value("document.querySelectorAll('img').length"), 0);
        let all = browser.text("document.documentElement.textContent");
        assert_contains(&all, "<script>hacked=1</script>");
        assert_lacks(&all, "\u{2028}");
        browser.assert_quiet();
    }
}

#[test]
fn a_flame_graph_svg_can_be_searched_and_zoomed() {
    let (mut browser, _folder) = present!(export_and_open(SAMPLE, "a.svg", &["--merge-threads"]));
    browser.value("search('PriceRules.Discount')");
    assert_contains(
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
    browser.assert_quiet();
}
