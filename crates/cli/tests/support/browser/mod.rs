//! A real browser for the tests of the page: headless Chromium, spoken to in the DevTools protocol.
//!
//! `--remote-debugging-pipe` puts the protocol on the file descriptors 3 and 4, as JSON that ends
//! in a zero byte: no port, no web socket, no driver. One browser serves all tests, which take
//! turns: a page that is not in front draws nothing. It ends with the last test that uses it.
#![allow(dead_code)] // each test crate uses its own part

use crate::common::command::Folder;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

/// How long one answer may take, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);
/// How often the browser is started before the tests give up.
const STARTS: usize = 3;

struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    number: u64,
    events: Vec<Value>,
    /// Its profile: never the user's.
    _profile: Folder,
}

/// The browser, as long as a test has it.
#[derive(Clone)]
pub(crate) struct Shared(Arc<Mutex<Browser>>);

/// The browser that runs, or a new one.
pub(crate) fn browser() -> Shared {
    static RUNNING: Mutex<Weak<Mutex<Browser>>> = Mutex::new(Weak::new());
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(browser) = running.upgrade() {
        return Shared(browser);
    }
    let browser = Arc::new(Mutex::new(Browser::start()));
    *running = Arc::downgrade(&browser);
    Shared(browser)
}

impl Shared {
    /// A page in front of all others.
    pub(crate) fn open(&self, html: &str) -> Tab<'_> {
        let mut browser = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        browser.events.clear();
        let folder = Folder::new("page");
        let file = folder.write("report.html", html);
        let target = browser.call(None, "Target.createTarget", json!({ "url": "about:blank" }));
        let target = target["targetId"].as_str().expect("a target has an id").to_owned();
        let attached = json!({ "targetId": target, "flatten": true });
        let session = browser.call(None, "Target.attachToTarget", attached)["sessionId"].clone();
        let session = session.as_str().expect("a session has an id").to_owned();
        let mut tab = Tab { browser, target, session, _folder: folder };
        for domain in ["Page", "Runtime", "Log", "Network"] {
            tab.call(&format!("{domain}.enable"), json!({}));
        }
        tab.call("Emulation.setFocusEmulationEnabled", json!({ "enabled": true }));
        tab.resize(1300, 900);
        tab.call("Page.navigate", json!({ "url": format!("file://{}", file.display()) }));
        tab.wait_for(
            "document.readyState === 'complete' && document.documentElement.dataset.ready === 'yes'",
        );
        // Two frames: what the page puts off until it is drawn is done.
        tab.settle();
        tab
    }
}

impl Browser {
    fn start() -> Browser {
        let mut wrong = String::new();
        for _ in 0..STARTS {
            match Browser::try_start() {
                Ok(browser) => return browser,
                Err(error) => writeln!(wrong, "{error}").expect("a string can be written to"),
            }
        }
        panic!("Chromium does not start:\n{wrong}");
    }

    fn try_start() -> Result<Browser, String> {
        let program = ["chromium", "chromium-browser", "google-chrome"].into_iter().find_map(find).expect(
            "the tests of the HTML page need a browser: `scripts/install-deps` installs Debian's package `chromium`",
        );
        let profile = Folder::new("chromium");
        let mut command = Command::new("sh");
        // The shell puts our pipes where Chromium expects them.
        command.args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>\"$LOG\""]).arg(program);
        command.env("LOG", profile.path("log"));
        command.args(["--headless", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu"]);
        command.args(["--disable-dev-shm-usage", "--disable-background-networking", "--hide-scrollbars"]);
        command.args(["--disable-extensions", "--disable-sync", "--force-device-scale-factor=1"]);
        // Containers run tests as root, or without the name spaces of the sandbox.
        command.arg("--no-sandbox");
        command.arg(format!("--user-data-dir={}", profile.path("profile").display())).arg("about:blank");
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("sh: {error}"))?;
        let to = child.stdin.take().expect("standard input is piped");
        let mut answers = BufReader::new(child.stdout.take().expect("standard output is piped"));
        let (send, from) = channel();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            while answers.read_until(0, &mut bytes).is_ok_and(|read| read > 0) {
                let message = bytes.strip_suffix(&[0]).unwrap_or(&bytes);
                if serde_json::from_slice(message).is_ok_and(|value| send.send(value).is_err()) {
                    return;
                }
                bytes.clear();
            }
        });
        let log = profile.path("log");
        let mut browser = Browser { child, to, from, number: 0, events: Vec::new(), _profile: profile };
        match browser.try_call(None, "Browser.getVersion", json!({})) {
            Ok(_) => Ok(browser),
            Err(error) => Err(format!("{error}\n{}", fs::read_to_string(log).unwrap_or_default())),
        }
    }

    #[track_caller]
    fn call(&mut self, session: Option<&str>, method: &str, parameters: Value) -> Value {
        self.try_call(session, method, parameters).unwrap_or_else(|error| panic!("{error}"))
    }

    fn try_call(&mut self, session: Option<&str>, method: &str, parameters: Value) -> Result<Value, String> {
        self.number += 1;
        let mut message = json!({ "id": self.number, "method": method, "params": parameters });
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to.write_all(&bytes).map_err(|error| format!("{method}: {error}"))?;
        loop {
            let mut answer = match self.from.recv_timeout(PATIENCE) {
                Ok(answer) => answer,
                Err(RecvTimeoutError::Timeout) => {
                    return Err(format!("{method}: no answer within {PATIENCE:?}"));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(format!("{method}: the browser has ended"));
                }
            };
            if answer["id"] == self.number {
                return match answer["error"].take() {
                    Value::Null => Ok(answer["result"].take()),
                    error => Err(format!("{method}: {error}")),
                };
            }
            if answer["method"].is_string() {
                self.events.push(answer);
            }
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It ends by itself, with all its processes; by force if it does not.
        let asked = self.try_call(None, "Browser.close", json!({})).is_ok();
        let start = Instant::now();
        while asked && start.elapsed() < Duration::from_secs(10) {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn find(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// A page that is open.
pub(crate) struct Tab<'a> {
    browser: MutexGuard<'a, Browser>,
    target: String,
    session: String,
    _folder: Folder,
}

impl Tab<'_> {
    #[track_caller]
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        let session = self.session.clone();
        self.browser.call(Some(&session), method, parameters)
    }

    /// The value of an expression, awaited if it is a promise.
    #[track_caller]
    pub(crate) fn eval(&mut self, expression: &str) -> Value {
        let asked = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut answer = self.call("Runtime.evaluate", asked);
        if answer["exceptionDetails"].is_object() {
            panic!("{expression}: {}", answer["exceptionDetails"]["exception"]["description"]);
        }
        answer["result"]["value"].take()
    }

    #[track_caller]
    pub(crate) fn number(&mut self, expression: &str) -> f64 {
        self.eval(expression).as_f64().unwrap_or_else(|| panic!("{expression} is no number"))
    }

    /// The text of the first element that fits, as it is shown, in words with single spaces.
    #[track_caller]
    pub(crate) fn text(&mut self, selector: &str) -> String {
        let value = self.eval(&format!("document.querySelector({selector:?})?.innerText"));
        let text = value.as_str().unwrap_or_else(|| panic!("no {selector} in the page"));
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// How many elements fit.
    #[track_caller]
    pub(crate) fn count(&mut self, selector: &str) -> usize {
        self.number(&format!("document.querySelectorAll({selector:?}).length")) as usize
    }

    /// Waits until an expression is true.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, expression: &str) {
        let start = Instant::now();
        // The page may be between two documents.
        while self.eval(&format!("Boolean({expression})")) != true {
            assert!(start.elapsed() < PATIENCE, "never came true: {expression}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until the page has drawn all that it puts off.
    #[track_caller]
    pub(crate) fn settle(&mut self) {
        self.eval(
            "(async () => { for (let i = 0; i < 3; i += 1) \
             await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0))); })()",
        );
    }

    pub(crate) fn resize(&mut self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// What the system prefers, or another medium.
    pub(crate) fn media(&mut self, medium: &str, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "media": medium, "features": features }));
    }

    /// Presses the mouse in the middle of the first element that fits.
    #[track_caller]
    pub(crate) fn click(&mut self, selector: &str) {
        let (x, y) = self.middle(selector);
        self.mouse("mouseMoved", x, y, 0);
        self.mouse("mousePressed", x, y, 1);
        self.mouse("mouseReleased", x, y, 1);
        self.settle();
    }

    /// Moves the mouse with its button held.
    #[track_caller]
    pub(crate) fn drag(&mut self, selector: &str, dx: f64, dy: f64) {
        let (x, y) = self.middle(selector);
        self.mouse("mouseMoved", x, y, 0);
        self.mouse("mousePressed", x, y, 1);
        for part in 1..=4 {
            let part = f64::from(part) / 4.0;
            self.mouse("mouseMoved", x + dx * part, y + dy * part, 1);
        }
        self.mouse("mouseReleased", x + dx, y + dy, 1);
        self.settle();
    }

    #[track_caller]
    fn middle(&mut self, selector: &str) -> (f64, f64) {
        let place = self.eval(&format!(
            "(() => {{ const found = document.querySelector({selector:?}); if (!found) return null; \
             found.scrollIntoView({{ block: 'nearest', inline: 'nearest' }}); \
             const box = found.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }})()"
        ));
        assert!(place.is_array(), "no {selector} to press");
        let [x, y] = [0, 1].map(|i| place[i].as_f64().expect("coordinates are numbers"));
        (x, y)
    }

    fn mouse(&mut self, kind: &str, x: f64, y: f64, buttons: u32) {
        let button = if kind == "mouseMoved" && buttons == 0 { "none" } else { "left" };
        let event =
            json!({ "type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": 1 });
        self.call("Input.dispatchMouseEvent", event);
    }

    /// Presses keys: single characters, or names such as `Tab`, `ArrowDown`, `Enter`.
    #[track_caller]
    pub(crate) fn keys(&mut self, keys: &[&str]) {
        for key in keys {
            let (code, text) = match *key {
                "Tab" => (9, ""),
                "Enter" => (13, "\r"),
                "Escape" => (27, ""),
                " " => (32, " "),
                "End" => (35, ""),
                "Home" => (36, ""),
                "ArrowLeft" => (37, ""),
                "ArrowUp" => (38, ""),
                "ArrowRight" => (39, ""),
                "ArrowDown" => (40, ""),
                other => (0, other),
            };
            let kind = if text.is_empty() { "rawKeyDown" } else { "keyDown" };
            let down = json!({ "type": kind, "key": key, "text": text, "windowsVirtualKeyCode": code });
            self.call("Input.dispatchKeyEvent", down);
            self.call(
                "Input.dispatchKeyEvent",
                json!({ "type": "keyUp", "key": key, "windowsVirtualKeyCode": code }),
            );
        }
        self.settle();
    }

    /// Types into what has the focus.
    pub(crate) fn types(&mut self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
        self.settle();
    }

    /// A picture of the page, into the folder that `RACEPROOF_SCREENSHOTS` names, for people to
    /// look at; without it only that one can be taken.
    #[track_caller]
    pub(crate) fn screenshot(&mut self, name: &str) {
        let picture = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        let data = picture["data"].as_str().expect("a picture has data");
        assert!(data.starts_with("iVBORw0KGgo"), "a PNG begins with its signature");
        self.keep(&format!("{name}.png"), data);
    }

    /// Prints the page, and counts the pages of the PDF.
    #[track_caller]
    pub(crate) fn print(&mut self, name: &str) -> usize {
        let pdf = self.call("Page.printToPDF", json!({}));
        let data = pdf["data"].as_str().expect("a PDF has data");
        self.keep(&format!("{name}.pdf"), data);
        let text = String::from_utf8_lossy(&decode(data)).into_owned();
        text.matches("/Type /Page").count() - text.matches("/Type /Pages").count()
    }

    fn keep(&self, name: &str, base64: &str) {
        if let Some(folder) = env::var_os("RACEPROOF_SCREENSHOTS") {
            let path = Path::new(&folder).join(name);
            fs::write(&path, decode(base64)).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
    }

    /// What no page may do: errors on the console, exceptions, requests of anything but the page.
    #[track_caller]
    pub(crate) fn is_clean(&mut self) {
        self.settle();
        let of_page = |event: &&Value| event["sessionId"] == self.session.as_str();
        for event in self.browser.events.iter().filter(of_page) {
            let (method, details) = (event["method"].as_str().unwrap_or_default(), &event["params"]);
            match method {
                "Runtime.exceptionThrown" | "Log.entryAdded" | "Runtime.consoleAPICalled" => {
                    panic!("the page has a message on the console: {details}")
                }
                "Network.requestWillBeSent" => {
                    let url = details["request"]["url"].as_str().unwrap_or_default();
                    assert!(
                        url.starts_with("file://") && url.contains("/report.html"),
                        "the page asks for {url}"
                    );
                }
                _ => {}
            }
        }
    }
}

impl Drop for Tab<'_> {
    fn drop(&mut self) {
        let target = json!({ "targetId": self.target });
        let _ = self.browser.try_call(None, "Target.closeTarget", target);
    }
}

fn decode(base64: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let (mut bytes, mut bits, mut many) = (Vec::new(), 0u32, 0);
    for six in base64.bytes().filter_map(digit) {
        bits = bits << 6 | u32::from(six);
        many += 6;
        if many >= 8 {
            many -= 8;
            bytes.push((bits >> many) as u8);
        }
    }
    bytes
}
