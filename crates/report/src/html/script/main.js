// The page: findings as a list with search and filters, the chosen one beside it, keys, theme, paper.

const KINDS = { race: ["R", "race"], error: ["E", "program error"], deadlock: ["D", "deadlock"], general: ["N", "nondeterminism"] };

// ---- The findings --------------------------------------------------------------------------------

const findings = new Map();

// `f.c:4 and 9`, `f.c:4 and g.c:9`.
function linesOf(places) {
  const known = places.filter((at) => at.file);
  const same = known.every((at) => at.file === known[0].file);
  const names = known.map((at, i) => (same && i > 0 && at.line ? String(at.line) : shortPlace(at)));
  const lines = [...new Set(known.map(shortPlace))].length === 1 ? names.slice(0, 1) : names;
  return lines.slice(0, 2).join(" and ") || "unknown place";
}

// The same for the narrow list: what tells findings apart comes first.
function linesFirst(finding) {
  const [, file, lines] = /^([^:]*):(\d+(?: and \d+)?)$/.exec(finding.where) || [];
  const place = file === undefined ? [finding.where] : [`line${lines.includes(" ") ? "s" : ""} ${lines}`, file];
  return [place[0], finding.access, place[1]].filter(Boolean).join(" · ");
}

function add(kind, index, value, title, places, extra) {
  const files = [...new Set(places.map((at) => at.file).filter(Boolean))];
  const where = linesOf(places);
  const finding = { key: `${kind}-${index}`, kind, index, data: value, title, where, files, children: [], level: 1, causes: [], ...extra };
  findings.set(finding.key, finding);
  return finding;
}

function words(finding) {
  if (!finding.words) {
    const { data: value } = finding;
    const sides = [value.first, value.second, value, ...(value.waiting || [])].filter(Boolean);
    const parts = [finding.title, finding.where, finding.id, finding.kind, value.grade, value.message, ...finding.files, value.location];
    for (const side of sides) {
      parts.push(side.task, side.access, side.library, ...(side.locks || []));
      for (const frame of side.stack || []) parts.push(short(frame.function));
    }
    finding.words = [...parts, ...(finding.kind === "race" ? told[finding.index].parts.map(([, text]) => text) : [])].filter(Boolean).join("\n").toLowerCase();
  }
  return finding.words;
}

// Groups of races as a tree: the others of a cause and its consequences below the race that is shown.
function tree() {
  const races = report.races.map((race, index) => add("race", index, race, told[index].on, [userPlace(race.first), userPlace(race.second)],
    { causes: race.artifact_of, grade: race.grade, access: `${race.first.access}/${race.second.access}` }));
  const headOf = new Map();
  const heads = data.groups.map((group) => {
    const [head, ...others] = group.races.map((index) => races[index]);
    Object.assign(head, { id: group.id, members: others, children: [...others] });
    for (const other of others) Object.assign(other, { id: group.id, level: 2 });
    group.races.forEach((index) => headOf.set(index, head));
    return head;
  });
  const roots = [];
  for (const head of heads) {
    // Follows consequences to a race that is none; a circle of them stays on top.
    let cause = head;
    const seen = new Set();
    while (cause.causes.length && !seen.has(cause)) {
      seen.add(cause);
      cause = headOf.get(cause.causes[0]) || cause;
    }
    if (cause === head || cause.causes.length) {
      roots.push(head);
      head.first = !head.causes.length && head.data.partition === 1;
    } else {
      head.level = 2;
      head.consequence = true;
      head.children.forEach((member) => { member.level = 3; });
      cause.children.push(head);
    }
  }
  roots.sort((a, b) => (b.first ? 1 : 0) - (a.first ? 1 : 0));
  const errors = report.errors.map((error, index) => add("error", index, error, error.message, [userPlace(error)], {}));
  const deadlocks = report.deadlocks.map((deadlock, index) => add("deadlock", index, deadlock, counted(deadlock.waiting.length, "waiting task"), deadlock.waiting.slice(0, 8), {}));
  const generals = (report.general_races || []).map((general, index) => add("general", index, general, `${general.kind} of ${general.on}${general.location ? ` on ${general.location}` : ""}`, [general.first.at, general.second.at].filter(Boolean), {}));
  errors.forEach((error, index) => { error.id = (data.error_ids || [])[index]; });
  deadlocks.forEach((deadlock, index) => { deadlock.id = (data.deadlock_ids || [])[index]; });
  generals.forEach((general) => { general.id = general.data.id; });
  const fix = roots.filter((root) => root.first);
  const rest = roots.filter((root) => !root.first);
  return [["Fix first", fix], [fix.length ? "Other races" : "Races", rest], ["Program errors", errors], ["Deadlocks", deadlocks], ["Nondeterminism", generals]].filter(([, list]) => list.length);
}
const sections = tree();
// As the verdict counts them: races with one cause are one.
const variants = data.groups.length < report.races.length ? ` in ${grouped(report.races.length)} variants` : "";
const others = findings.size - report.races.length;
const TOTAL = [report.races.length && counted(data.groups.length, "race") + variants, others && counted(others, report.races.length ? "other finding" : "finding")].filter(Boolean).join(", ");

// ---- The list: only rows in sight are in the page ------------------------------------------------

const [ROW, HEAD] = [54, 30];
const list = byId("list");
const rowsBox = byId("rows");
const opened = new Set();
let rows = [];
let chosen = null;

const filters = { text: "", kind: "", grade: "", file: "" };
const filtering = () => Object.values(filters).some(Boolean);

function fits(finding) {
  if (filters.kind && finding.kind !== filters.kind) return false;
  if (filters.grade && finding.grade !== filters.grade) return false;
  if (filters.file && !finding.files.includes(filters.file)) return false;
  return filters.text.split(/\s+/).every((word) => words(finding).includes(word));
}

// The rows of a finding: itself and, if it is open or they are searched for, those below it.
function collect(finding, into) {
  const at = into.length;
  const below = [];
  const search = filtering();
  if (search || opened.has(finding.key)) finding.children.forEach((child) => collect(child, below));
  const own = !search || fits(finding);
  if (search && !own && !below.length) return;
  into.push({ finding, own });
  into.push(...below);
  if (search && below.length) into[at].open = true;
}

function refresh() {
  rows = [];
  let [shown, top] = [0, 0];
  for (const [name, members] of sections) {
    const found = [];
    members.forEach((finding) => collect(finding, found));
    if (!found.length) continue;
    rows.push({ name, top, high: HEAD });
    top += HEAD;
    for (const row of found) {
      Object.assign(row, { top, high: ROW });
      top += ROW;
      if (row.own) shown += 1;
    }
    rows.push(...found);
  }
  rowsBox.style.height = `${top}px`;
  byId("count").textContent = !findings.size ? "Nothing was found." : filtering() ? `${grouped(shown)} of ${grouped(findings.size)} fit` : TOTAL;
  paint();
}

function paint() {
  const [from, to] = [list.scrollTop - 200, list.scrollTop + (list.clientHeight || 600) + 200];
  let first = 0;
  for (let [low, high] = [0, rows.length]; low < high;) {
    const mid = (low + high) >> 1;
    if (rows[mid].top + rows[mid].high < from) low = mid + 1;
    else high = mid;
    first = low;
  }
  const shown = [];
  for (let i = first; i < rows.length && rows[i].top < to; i += 1) shown.push(rowElement(rows[i], i));
  rowsBox.replaceChildren(...shown);
  const active = chosen && byId(`row-${chosen}`);
  if (active) list.setAttribute("aria-activedescendant", active.id);
  else list.removeAttribute("aria-activedescendant");
}

// What the user's baseline has already.
const known = new Set(report.baseline ? report.baseline.known : []);

function rowElement(row, position) {
  let node;
  if (row.name) {
    node = el("div", { class: "head", role: "presentation" }, row.name);
  } else {
    const { finding } = row;
    const [letter, kind] = KINDS[finding.kind];
    const open = row.open || opened.has(finding.key);
    const has = finding.children.length > 0;
    const consequences = finding.children.filter((child) => child.consequence).length;
    const same = finding.children.length - consequences;
    const below = [same && `${grouped(same)} more of this cause`, consequences && counted(consequences, "consequence")].filter(Boolean).join(", ");
    node = el("div", {
      class: `row${finding.key === chosen ? " chosen" : ""}${row.own ? "" : " context"} level-${finding.level}`, id: `row-${finding.key}`, role: "treeitem", "aria-level": finding.level,
      "aria-selected": String(finding.key === chosen), "aria-expanded": has ? String(Boolean(open)) : null, "aria-posinset": position + 1, "aria-setsize": rows.length,
      click: () => choose(finding.key, false),
    },
      el("button", { type: "button", class: "twist", tabindex: "-1", "aria-hidden": "true", click: (event) => { event.stopPropagation(); toggle(finding); } }, has ? (open ? "▾" : "▸") : ""),
      el("span", { class: `kind ${finding.kind}`, title: kind }, letter),
      el("span", { class: "main" },
        el("span", { class: "title" }, finding.title),
        el("span", { class: "where" }, linesFirst(finding))),
      el("span", { class: "side" }, finding.grade && el("span", { class: `grade ${finding.grade}` }, finding.grade), el("span", { class: "below" }, [finding.id && known.has(finding.id) && "known", finding.consequence && "consequence", below && `+${grouped(finding.children.length)}`].filter(Boolean).join(" "))));
    node.title = `${finding.title}\n${finding.where}${below ? `\n${below}` : ""}`;
  }
  node.style.top = `${row.top}px`;
  node.style.height = `${row.high}px`;
  return node;
}

function toggle(finding, open) {
  if (!finding.children.length) return;
  const want = open === undefined ? !opened.has(finding.key) : open;
  if (want) opened.add(finding.key);
  else opened.delete(finding.key);
  refresh();
}

function choose(key, reveal) {
  const finding = findings.get(key);
  if (!finding) return;
  if (reveal && !rows.some((row) => row.finding === finding)) {
    Object.keys(filters).forEach((name) => { filters[name] = ""; });
    document.querySelectorAll("#filters input, #filters select").forEach((field) => { field.value = ""; });
    const open = (one) => {
      if (one === finding) return true;
      const found = one.children.some(open);
      if (found) opened.add(one.key);
      return found;
    };
    sections.forEach(([, members]) => members.some(open));
    refresh();
  }
  chosen = key;
  const row = rows.find((one) => one.finding === finding);
  if (row) {
    if (row.top < list.scrollTop + HEAD) list.scrollTop = row.top - HEAD;
    else if (row.top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = row.top + ROW - list.clientHeight;
  }
  paint();
  show(finding);
  try { history.replaceState(null, "", `#${key}`); } catch { /* some viewers have no history */ }
}

function show(finding) {
  const pane = byId("finding");
  pane.replaceChildren(detail(finding, false));
  pane.scrollTop = 0;
  // What is large comes after the first picture.
  requestAnimationFrame(() => setTimeout(() => {
    pane.querySelectorAll("details.part").forEach((part) => part.dispatchEvent(new Event("toggle")));
  }, 0));
}

function step(by) {
  const real = rows.filter((row) => row.finding);
  if (!real.length) return;
  const at = real.findIndex((row) => row.finding.key === chosen);
  const to = at < 0 ? 0 : Math.min(real.length - 1, Math.max(0, at + by));
  choose(real[to].finding.key, false);
}

// ---- Header --------------------------------------------------------------------------------------

function header() {
  const signs = { race: "✕", "race-free": "✓", inconclusive: "?", deadlock: "✕", "program-error": "✕" };
  const verdict = byId("verdict");
  verdict.classList.add(report.verdict);
  verdict.append(el("span", { class: "sign", "aria-hidden": "true" }, signs[report.verdict] || "?"), data.summary.title);
  byId("claim").replaceChildren(...prose(data.summary.claim));
  byId("limits").replaceChildren(...report.limits.map((limit) => el("li", {}, el("b", {}, "limit: "), limit)));
  const fact = (name, ...value) => [el("dt", {}, name), el("dd", {}, value)];
  const scopes = { "all-schedules": "all schedules of this input", "observed-schedule": "the schedule that was run and what it predicts" };
  const facts = [fact("Scope", scopes[report.scope] || report.scope)];
  if (report.determinate !== null) facts.push(fact("Determinate", report.determinate ? "yes: every schedule ends in the same state" : "no: the result depends on the schedule"));
  if (data.summary.coverage) facts.push(fact("Coverage", data.summary.coverage));
  if (report.threads && report.threads.length) facts.push(fact("Team sizes", report.threads.join(", ")));
  if (report.baseline) facts.push(fact("Baseline", `${grouped(report.baseline.new.length)} new, ${grouped(report.baseline.known.length)} known, ${grouped(report.baseline.gone.length)} gone`));
  if (report.suppressed) facts.push(fact("Suppressed", counted(report.suppressed, "finding")));
  (report.warnings || []).forEach((warning) => facts.push(fact("Warning", warning)));
  if (report.validation) facts.push(fact("Validation", Object.entries(report.validation).map(([name, value]) => `${name} ${value}`).join(", ")));
  if (report.detector) facts.push(fact("Detector", report.detector));
  facts.push(fact("Effort", data.summary.effort), fact("Tool", `${report.tool} ${report.version}`));
  if (report.next_command) facts.push(fact("Decides the rest", copyable(report.next_command, "the command")));
  byId("facts").replaceChildren(...facts.flat());
  byId("basis").open = report.verdict === "race-free" || report.verdict === "inconclusive";
}

function options() {
  const fill = (id, name, values, label) => {
    const select = byId(id);
    select.replaceChildren(el("option", { value: "" }, name), ...values.map((value) => el("option", { value }, label(value))));
    select.closest("label").hidden = values.length < 2;
  };
  const all = [...findings.values()];
  const order = ["actual", "feasible", "apparent", "infeasible"];
  fill("by-kind", "All kinds", Object.keys(KINDS).filter((kind) => all.some((finding) => finding.kind === kind)), (kind) => KINDS[kind][1]);
  fill("by-grade", "All grades", order.filter((grade) => all.some((finding) => finding.grade === grade)), (grade) => grade);
  fill("by-file", "All files", [...new Set(all.flatMap((finding) => finding.files))].sort(), (file) => middle(short(file), 40));
  const bind = (id, name, event) => byId(id).addEventListener(event, (at) => {
    filters[name] = name === "text" ? at.target.value.trim().toLowerCase() : at.target.value;
    list.scrollTop = 0;
    refresh();
  });
  bind("search", "text", "input");
  bind("by-kind", "kind", "change");
  bind("by-grade", "grade", "change");
  bind("by-file", "file", "change");
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
}

// ---- Theme, help, keys, paper --------------------------------------------------------------------

const THEMES = ["auto", "light", "dark"];
function theme(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  byId("theme").textContent = `Theme: ${name}`;
  try { localStorage.setItem("raceproof-theme", name); } catch { /* not kept */ }
}
function nextTheme() {
  const now = document.documentElement.dataset.theme || "auto";
  theme(THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]);
}

const KEYS = [
  ["j / k", "next, previous finding"], ["↑ ↓ Home End", "in the list: move"], ["→ ←", "in the list: unfold, fold; elsewhere: the witness forward, back"],
  ["Space", "play or pause the witness"], ["Home End", "witness: first, last"], ["/", "search; Esc leaves it"], ["g", "to the graph: arrows move it, + − 0 zoom"],
  ["w", "to the witness"], ["Enter", "from the list to the finding"], ["l", "back to the list"], ["t", "light, dark, as the system"], ["?", "these keys"],
];
function help() {
  const dialog = byId("help");
  if (!dialog.childElementCount) {
    dialog.append(el("h2", { id: "help-title" }, "Keys"), el("dl", {}, KEYS.map(([key, text]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, text)])),
      el("h3", {}, "Marks"), el("p", {}, letterMark("A"), " and ", letterMark("B"), " are the two accesses of a race, in the source, the graph and the witness; ", el("b", { class: "letter fork" }, "F"), " is the step at which their spawn paths part. R is a race or a read, W a write, D a deadlock, E a program error, N nondeterminism."),
      el("form", { method: "dialog" }, el("button", {}, "Close")));
  }
  dialog.showModal();
}

function listKey(event) {
  const finding = findings.get(chosen);
  const page = Math.max(1, Math.floor(list.clientHeight / ROW) - 1);
  const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
  if (moves[event.key]) step(moves[event.key]);
  else if (event.key === "ArrowRight" && finding) toggle(finding, true);
  else if (event.key === "ArrowLeft" && finding) toggle(finding, false);
  else if (event.key === "Enter") byId("finding").focus();
  else return false;
  return true;
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
  const target = event.target;
  if (target.matches("input[type=search]")) {
    if (event.key === "Escape" || event.key === "Enter") {
      list.focus();
      if (event.key === "Enter") step(rows.some((row) => row.finding && row.finding.key === chosen) ? 0 : 1);
      event.preventDefault();
    }
    return;
  }
  if (target.matches("select, input[type=range]")) return;
  const part = (selector) => {
    const found = document.querySelector(selector);
    if (found) { found.focus(); found.scrollIntoView({ block: "nearest" }); }
  };
  const scrolled = target.matches(".lines, pre");
  const pressed = target.matches("button, summary, [role=button]");
  const actions = {
    j: () => step(1), k: () => step(-1), "/": () => byId("search").focus(), "?": help, t: nextTheme, l: () => list.focus(), g: () => part("svg.graph"), w: () => part(".player .log"),
  };
  if (actions[event.key]) actions[event.key]();
  else if (target === list && listKey(event)) { /* done */ }
  else if (pressed && (event.key === " " || event.key === "Enter")) return;
  else if (target === list || scrolled || !Player.key(event.key)) return;
  event.preventDefault();
}

// On paper all findings stand one after the other.
let basisWasOpen = false;
function toPaper() {
  const paper = byId("paper");
  if (paper.childElementCount) return;
  basisWasOpen = byId("basis").open;
  byId("basis").open = true;
  for (const [name, members] of sections) {
    paper.append(el("h2", { class: "part" }, name));
    const write = (finding) => {
      const article = detail(finding, true);
      const witness = Player.printed(finding);
      if (witness) article.append(witness);
      paper.append(article);
      finding.children.filter((child) => child.consequence).forEach(write);
    };
    members.forEach(write);
  }
}
function offPaper() {
  byId("basis").open = basisWasOpen;
  byId("paper").replaceChildren();
}

header();
options();
let kept = "auto";
try { kept = localStorage.getItem("raceproof-theme") || "auto"; } catch { /* as the system has it */ }
theme(THEMES.includes(kept) ? kept : "auto");
refresh();
const start = findings.has(location.hash.slice(1)) ? location.hash.slice(1) : rows.find((row) => row.finding)?.finding.key;
if (start) choose(start, true);
else byId("finding").append(el("p", { class: "nothing" }, report.verdict === "race-free" ? "Nothing was found: there is no race to show." : "Nothing was found."));
list.addEventListener("scroll", paint);
addEventListener("resize", paint);
document.addEventListener("keydown", onKey);
byId("theme").addEventListener("click", nextTheme);
byId("help-button").addEventListener("click", help);
byId("print").addEventListener("click", () => print());
addEventListener("beforeprint", toPaper);
addEventListener("afterprint", offPaper);
// For measurements: the first finding is in the page.
performance.mark("raceproof-shown");
document.documentElement.dataset.ready = "yes";
