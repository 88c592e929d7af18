// The chosen finding in full.

const GRADES = {
  actual: "it happened in this run", feasible: "a witness exists", apparent: "synchronisation allows it; no witness yet", infeasible: "proven impossible",
};

const letterMark = (letter) => el("b", { class: `letter side-${letter}` }, letter);
const code = (text) => el("code", {}, text);

// Backquotes in prose are code.
function prose(text) {
  return text.split("`").map((part, i) => (i % 2 ? code(part) : part));
}

// The innermost place that is the user's own.
function userPlace(access) {
  if (!isLibrary(access.file)) return access;
  return (access.stack || []).find((frame) => frame.file && !isLibrary(frame.file)) || access;
}

function placeLine(at) {
  return el("span", { class: "place" }, fullPlace(at));
}

// Calls, innermost first; frames of libraries folded. A frame has the place of its call, so that
// the file of its own code is in the frame before it, or in the access itself.
function stackOf({ file, stack }, paper) {
  if (!stack || !stack.length) return null;
  const foreign = stack.map((frame, i) => isLibrary(i ? stack[i - 1].file : file) || /^(raceproof_native::|__kmpc|rayon)/.test(frame.function));
  const item = (frame) => el("li", {}, el("code", { title: frame.function }, short(frame.function) || "?"), frame.line ? [" called at ", placeLine(frame)] : "");
  const parts = [];
  for (let i = 0; i < stack.length; i += 1) {
    let end = i;
    while (foreign[end]) end += 1;
    if (end > i && !paper) {
      const folded = stack.slice(i, end);
      parts.push(el("li", { class: "fold" }, el("details", {}, el("summary", {}, `… ${counted(end - i, "frame")} of libraries`), el("ol", {}, folded.map(item)))));
      i = end - 1;
    } else {
      parts.push(item(stack[i]));
    }
  }
  return el("div", { class: "stack" }, el("h4", {}, "Calls, innermost first"), el("ol", {}, parts));
}

// The line of a place, without its indentation.
function quote(at) {
  const line = at.line ? lineOf(at.file, at.line) : undefined;
  return line !== undefined && line.trim() ? el("code", { class: "quote" }, middle(line.trim(), 100)) : null;
}

// Spawns, outermost first; repetitions of one site folded.
function spawnList(spawned, paper) {
  const item = (spawn) => el("li", {}, code(spawn.task), ` spawned${spawn.construct ? ` by ${spawn.construct}` : ""}${spawn.thread !== undefined ? `, thread ${spawn.thread}` : ""}`, " at ", placeLine(spawn), quote(spawn));
  const site = (spawn) => `${fullPlace(spawn)} ${spawn.construct}`;
  const parts = [];
  for (let i = 0; i < spawned.length; i += 1) {
    let end = i + 1;
    while (end < spawned.length && site(spawned[end]) === site(spawned[i])) end += 1;
    parts.push(item(spawned[i]));
    if (end - i > 3) {
      const folded = spawned.slice(i + 1, end - 1);
      parts.push(el("li", { class: "fold" }, paper ? `… ${folded.length} more of the same` : el("details", {}, el("summary", {}, `… ${folded.length} more of the same`), el("ol", {}, folded.slice(0, 200).map(item)))));
      i = end - 2;
    }
  }
  return el("ol", { class: "spawns" }, parts);
}

function spawnPaths(race, paper) {
  const [a, b] = [race.first.spawned || [], race.second.spawned || []];
  if (!a.length && !b.length) return null;
  let common = 0;
  while (common < a.length && common < b.length && a[common].task === b[common].task) common += 1;
  const side = (letter, access, rest) => el("div", {}, el("h4", {}, letterMark(letter), ` to ${access.task}`),
    rest.length ? spawnList(rest, paper) : el("p", {}, `${access.task} goes on by itself.`));
  return el("section", { class: "paths" }, el("h3", {}, "Spawn paths"),
    common > 0 && spawnList(a.slice(0, common), paper),
    el("p", {}, "The paths part in ", code(race.fork), "."),
    el("div", { class: "sides" }, side("A", race.first, a.slice(common)), side("B", race.second, b.slice(common))));
}

const OPERATIONS = { atomic: "atomic ", range: "range ", lane: "simd lane's " };
const deed = (access) => (access.operation === "free" ? "free" : `${OPERATIONS[access.operation] || ""}${access.access}`);

function accessPanel(race, access, letter, marks, paper) {
  const at = userPlace(access);
  const inner = at === access ? null : access;
  const facts = [];
  if (access.library) facts.push(["made by", code(access.library)]);
  if (access.bytes) facts.push(["size", counted(access.bytes, "byte")]);
  facts.push(["holds", access.locks && access.locks.length ? access.locks.map((lock) => code(lock)).flatMap((lock, i) => (i ? [", ", lock] : [lock])) : "no lock"]);
  if (access.region) facts.push(["in", [code(access.region.construct), ` at ${shortPlace(access.region)}`]]);
  return el("section", { class: `access side-${letter}`, "aria-label": `Access ${letter}` },
    el("h3", {}, letterMark(letter), " ", `${deed(access)} by `, code(access.task)),
    el("p", {}, placeLine(at), inner && [el("br"), "inside the library at ", placeLine(inner)]),
    at.file && at.line ? excerpt(at, marks, 3, 3) : el("p", { class: "missing" }, "The place is not known: compile with -g."),
    el("dl", { class: "facts" }, facts.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
    stackOf(access, paper));
}

function objectText(object) {
  const part = object.offset !== undefined ? `, ${counted(object.offset, "byte")} into its ${grouped(object.size)}` : "";
  switch (object.kind) {
    case "global": return ["the global variable ", code(object.name), part];
    case "heap": return [`a block of ${counted(object.size, "byte")}, allocated by `, code(object.task), " at ", placeLine(object), `, ${counted(object.offset, "byte")} from its beginning`];
    case "stack": return [object.name ? "the local variable " : "a local variable", object.name ? code(object.name) : "", " of ", code(object.task)];
    default: return ["the thread-local variable ", object.name ? code(object.name) : "", " of ", code(object.task)];
  }
}

// A part below the finding that is built when it is first open.
function lazy(title, build, paper) {
  if (paper) return null;
  const body = el("div", { class: "lazy" });
  const fill = () => {
    if (!part.open || body.childElementCount || !part.isConnected) return;
    // The data of these parts is at the end of the page.
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", fill, { once: true });
    else body.append(build());
  };
  const part = el("details", { class: "part", open: true, toggle: fill }, el("summary", {}, el("h3", {}, title)), body);
  return part;
}

// The line that suppresses a finding, for the file of `--suppressions`.
function suppression(finding, paper) {
  if (!finding.id || paper) return null;
  return el("details", { class: "members" }, el("summary", {}, "Suppress it"), el("p", {}, "A line for the file of ", code("--suppressions"), ": ", copyable(`id:${finding.id} ${finding.kind} on ${finding.title}`.replace(/\s+/g, " "), "the suppression")));
}

function raceDetail(finding, paper) {
  const race = finding.data;
  const marks = [["A", race.first], ["B", race.second]].map(([letter, access]) => {
    const { file, line, column } = userPlace(access);
    return { file, line, column, letter, style: `side-${letter}` };
  });
  const parent = finding.causes.map((cause) => findings.get(`race-${cause}`)).filter(Boolean);
  const anchors = () => {
    const playback = playbackOf(finding);
    const met = playback && playback.racing ? playback.racing.map((index) => playback.tasks[playback.actions[index].task]) : [];
    return [["A", race.first], ["B", race.second]].map(([letter, side], i) => ({
      letter, task: side.task, access: side.access, location: race.location, at: { file: side.file, line: side.line, column: side.column }, met: met[i],
    }));
  };
  return [
    el("header", {},
      el("h2", {}, el("span", { class: "kind race", "aria-hidden": "true" }, "R"), " Data race on ", code(finding.title)),
      el("p", { class: "chips" },
        el("span", { class: `grade ${race.grade}` }, `${race.grade}: ${race.grade === "feasible" && !race.witness ? "nothing orders the two" : GRADES[race.grade] || ""}`),
        finding.first ? el("span", { class: "chip first" }, "fix first") : el("span", { class: "chip" }, `group ${race.partition}`),
        el("span", { class: "chip" }, `seen ${race.count === 1 ? "once" : `${grouped(race.count)} times`}`),
        finding.id && el("span", { class: "chip id" }, "id ", code(finding.id)))),
    parent.length > 0 && el("p", { class: "artifact" }, "May be a mere consequence of ", parent.slice(0, 5).flatMap((cause, i) => [i ? ", " : "", goTo(cause)]), parent.length > 5 ? ` and ${parent.length - 5} more` : "", ". Fix that first."),
    el("div", { class: "sides" }, accessPanel(race, race.first, "A", marks, paper), accessPanel(race, race.second, "B", marks, paper)),
    el("dl", { class: "advice" },
      race.object && [el("dt", {}, "What"), el("dd", {}, objectText(race.object))],
      told[finding.index].parts.map(([label, text]) => [el("dt", {}, label[0].toUpperCase() + label.slice(1)), el("dd", {}, prose(text))])),
    suppression(finding, paper),
    members(finding, paper),
    spawnPaths(race, paper),
    lazy("Computation graph", () => Graph.section(anchors(), `the race on ${race.location}`), paper),
    lazy("Witness", () => Player.section(finding), paper),
  ];
}

const goTo = (finding) => el("button", { type: "button", class: "link", click: () => choose(finding.key, true) }, `${finding.title} (${finding.where})`);

// The other races of the same cause.
function members(finding, paper) {
  const others = finding.members || [];
  if (!others.length) return null;
  const cells = [...new Set([finding, ...others].map((other) => other.data.location))];
  const many = `${counted(others.length + 1, "variant")} of this race, on ${counted(cells.length, "location")}`;
  const list = el("ul", {}, others.slice(0, 50).map((other) => el("li", {}, paper ? `${other.title} (${other.where})` : goTo(other))), others.length > 50 && el("li", {}, `and ${grouped(others.length - 50)} more`));
  return paper ? el("p", {}, `${many}: ${cells.slice(0, 20).join(", ")}${cells.length > 20 ? ", …" : ""}`) : el("details", { class: "members" }, el("summary", {}, many), list);
}

const HOLDABLE = new Set(["lock", "isolated", "semaphore"]);

function waitingPanel(wait, number, paper) {
  const what = [wait.on, wait.what].filter(Boolean).join(" ");
  return el("section", { class: "access", "aria-label": `Task ${wait.task}` },
    el("h3", {}, el("b", { class: "letter stuck" }, number), " ", code(wait.task), ` waits for ${what}`),
    el("p", {}, placeLine(wait)),
    wait.line ? excerpt(wait, [{ file: wait.file, line: wait.line, column: wait.column, style: "stuck", letter: String(number) }], 3, 3) : null,
    wait.held_by && el("p", {}, HOLDABLE.has(wait.on) ? ["held by ", code(wait.held_by)] : [code(wait.held_by), " has to end first"], wait.holder_ended ? [", which ended without releasing it; taken at ", placeLine(wait.holder_ended)] : ""),
    stackOf(wait, paper),
    wait.spawned && wait.spawned.length ? el("div", {}, el("h4", {}, "Spawn path"), spawnList(wait.spawned, paper)) : null);
}

function deadlockDetail(finding, paper) {
  const { waiting } = finding.data;
  const shown = paper ? waiting.slice(0, 50) : waiting.slice(0, 12);
  const anchors = waiting.slice(0, 8).map((wait, i) => ({ letter: String(i + 1), task: wait.task, at: wait }));
  const rest = el("div", { class: "sides" });
  const more = waiting.length > shown.length && !paper && el("button", { type: "button", class: "more", click: () => {
    rest.append(...waiting.slice(shown.length).map((wait, i) => waitingPanel(wait, shown.length + i + 1, paper)));
    more.remove();
  } }, `Show ${counted(waiting.length - shown.length, "more task")}`);
  return [
    el("header", {}, el("h2", {}, el("span", { class: "kind deadlock", "aria-hidden": "true" }, "D"), ` Deadlock of ${counted(waiting.length, "task")}`),
      finding.id && el("p", { class: "chips" }, el("span", { class: "chip id" }, "id ", code(finding.id)))),
    el("div", { class: "sides" }, shown.map((wait, i) => waitingPanel(wait, i + 1, paper))),
    more, rest, suppression(finding, paper),
    lazy("Computation graph", () => Graph.section(anchors, "the deadlock"), paper),
    lazy("Witness", () => Player.section(finding), paper),
  ];
}

function errorDetail(finding, paper) {
  const error = finding.data;
  const at = userPlace(error);
  return [
    el("header", {}, el("h2", {}, el("span", { class: "kind error", "aria-hidden": "true" }, "E"), ` Program error: ${error.kind}`),
      finding.id && el("p", { class: "chips" }, el("span", { class: "chip id" }, "id ", code(finding.id)))),
    el("section", { class: "access" },
      el("p", { class: "message" }, error.message),
      el("p", {}, code(error.task), " at ", placeLine(at)),
      at.line ? excerpt(at, [{ file: at.file, line: at.line, column: at.column, style: "stuck", letter: "E" }], 3, 3) : null,
      stackOf(error, paper),
      (error.related || []).map((related) => el("div", { class: "related" }, el("h4", {}, related.what), el("p", {}, placeLine(related)),
        related.line ? excerpt(related, [{ file: related.file, line: related.line, column: related.column, style: "stuck" }], 3, 3) : null)),
      error.spawned && error.spawned.length ? el("div", {}, el("h4", {}, "Spawn path"), spawnList(error.spawned, paper)) : null),
    suppression(finding, paper),
    lazy("Computation graph", () => Graph.section([{ letter: "E", task: error.task, at: error }], "the error"), paper),
    lazy("Witness", () => Player.section(finding), paper),
  ];
}

function generalDetail(finding, paper) {
  const general = finding.data;
  const side = (letter, one) => el("section", { class: `access side-${letter}` },
    el("h3", {}, letterMark(letter), " ", code(one.task), one.access ? ` ${one.access}s` : ""),
    one.at ? [el("p", {}, placeLine(one.at)), one.at.line ? excerpt(one.at, [{ ...one.at, style: `side-${letter}`, letter }], 3, 3) : null] : el("p", { class: "missing" }, "No place is known."));
  const anchors = [["A", general.first], ["B", general.second]].map(([letter, one]) => ({ letter, task: one.task, access: one.access, location: general.location, at: one.at }));
  return [
    el("header", {}, el("h2", {}, el("span", { class: "kind general", "aria-hidden": "true" }, "N"), ` Nondeterminism: ${finding.title}`),
      finding.id && el("p", { class: "chips" }, el("span", { class: "chip id" }, "id ", code(finding.id)))),
    el("p", {}, "These come in either order, as the schedule has it. That is no data race, but the result may depend on it."),
    el("div", { class: "sides" }, side("A", general.first), side("B", general.second)),
    suppression(finding, paper),
    lazy("Computation graph", () => Graph.section(anchors, "the two"), paper),
  ];
}

const DETAILS = { race: raceDetail, deadlock: deadlockDetail, error: errorDetail, general: generalDetail };

function detail(finding, paper) {
  const json = paper ? null : el("details", { class: "json", toggle: (event) => {
    const [open, pre] = [event.target.open, event.target.querySelector("pre")];
    if (open && !pre.textContent) pre.textContent = JSON.stringify(finding.data, null, 2);
  } }, el("summary", {}, "As JSON"), el("pre", { tabindex: "0" }));
  return el("article", { class: finding.kind, "data-key": finding.key }, DETAILS[finding.kind](finding, paper), json);
}
