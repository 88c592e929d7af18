// The witness as a player: what each task does on the way to the finding, forward and back.
//
// The position is the number of actions done. Values are those after the last of them, computed from
// the beginning by each move that goes back: a playback has a few thousand actions at most.

const Player = (() => {
  const ROW = 24;
  // Lanes drawn; the tasks of the finding are always among them, the others share the last one.
  const MOST_LANES = 16;
  let stepActive = null;

  const SIGNS = {
    read: "R", write: "W", spawn: "+", end: "■", join: "∧", acquire: "[", release: "]", set: "!", get: "?",
    post: "!", wait: "?", take: "P", give: "V", barrier: "=", fail: "✕", stuck: "…", other: "·",
  };

  function lanesOf(playback) {
    if (playback.tasks.length <= MOST_LANES) return playback.tasks.map((_, task) => task);
    const wanted = new Set([...(playback.racing || [])].map((index) => playback.actions[index].task));
    wanted.add(0);
    for (let i = playback.actions.length - 1; i >= 0 && wanted.size < MOST_LANES - 1; i -= 1) wanted.add(playback.actions[i].task);
    const own = [...wanted].sort((a, b) => a - b);
    const lane = new Map(own.map((task, index) => [task, index]));
    return playback.tasks.map((_, task) => (lane.has(task) ? lane.get(task) : own.length));
  }

  function section(finding) {
    const playback = playbackOf(finding);
    if (!playback) {
      const known = finding.data.witness && data.playback_note;
      const none = finding.data.witness ? "The witness was not played back for this report: `raceproof replay --step` does it." : "No witness is known for this finding, so there is no schedule to play.";
      return el("p", { class: "missing" }, prose(known || none));
    }
    const { actions, tasks } = playback;
    const racing = playback.racing || [];
    const lanes = lanesOf(playback);
    const columns = Math.max(...lanes, 0) + 1;
    const letterOf = (index) => (racing[0] === index ? "A" : racing[1] === index ? "B" : "");
    const firstOf = tasks.map((_, task) => actions.findIndex((action) => action.task === task));
    const lastOf = tasks.map(() => -1);
    actions.forEach((action, index) => { lastOf[action.task] = index; });
    // One file needs no name in every line.
    const oneFile = new Set(actions.filter((action) => action.line).map((action) => action.file)).size < 2;
    const lineName = (action) => (!action.line ? "" : oneFile ? `line ${action.line}` : shortPlace(action));
    let done = 0;
    let timer = null;

    const position = el("output", { class: "position" });
    const slider = el("input", { type: "range", min: 0, max: actions.length, value: 0, "aria-label": "Position in the witness" });
    const now = el("p", { class: "now", role: "status", "aria-live": "polite" });
    const spacer = el("div", { class: "spacer" });
    const log = el("div", { class: "log", role: "group", "aria-label": "Actions of all tasks, a lane for each", tabindex: "0" }, spacer);
    const source = el("div", { class: "here" });
    const values = el("table", { class: "values" });
    const standing = el("table", { class: "standing" });

    spacer.style.height = `${actions.length * ROW}px`;
    spacer.style.setProperty("--lanes", columns);

    function row(index) {
      const action = actions[index];
      const letter = letterOf(index);
      const cells = [];
      for (let lane = 0; lane < columns; lane += 1) {
        const alive = tasks.some((_, task) => lanes[task] === lane && firstOf[task] <= index && index <= lastOf[task]);
        const own = lanes[action.task] === lane;
        cells.push(el("span", { class: own ? `cell own op-${action.op}` : alive ? "cell alive" : "cell" }, own ? SIGNS[action.op] || "·" : ""));
      }
      const state = index < done - 1 ? "past" : index === done - 1 ? "current" : "future";
      const line = el("div", { class: `action ${state}${letter ? ` racing side-${letter}` : ""}`, "data-index": index, title: action.text, click: () => go(index + 1) },
        el("span", { class: "number" }, grouped(index + 1 + (playback.left_out || 0))), cells,
        el("span", { class: "who" }, middle(tasks[action.task], 18)),
        el("span", { class: "what" }, letter && el("b", { class: `letter side-${letter}` }, letter), letter && " ", action.text),
        el("span", { class: "at" }, lineName(action)));
      line.style.top = `${index * ROW}px`;
      return line;
    }

    function window_() {
      const from = Math.max(0, Math.floor(log.scrollTop / ROW) - 8);
      const to = Math.min(actions.length, from + Math.ceil((log.clientHeight || 300) / ROW) + 16);
      const rows = [];
      for (let index = from; index < to; index += 1) rows.push(row(index));
      spacer.replaceChildren(...rows);
    }

    function table() {
      const held = new Map();
      for (const { location, value } of playback.before || []) held.set(location, { value, by: "" });
      let changed = null;
      for (let index = 0; index < done; index += 1) {
        const { location, value, op, task } = actions[index];
        changed = null;
        if (location === undefined || value === undefined) continue;
        const old = held.get(location);
        if (op !== "read" || !old) held.set(location, { value, by: op === "read" ? (old ? old.by : "") : tasks[task] });
        changed = location;
      }
      const rows = [...held].slice(-200).map(([location, { value, by }]) =>
        el("tr", { class: location === changed ? "changed" : null },
          el("th", { scope: "row" }, location === changed && el("span", { "aria-label": "just accessed" }, "▶ "), location), el("td", {}, value), el("td", {}, by)));
      values.replaceChildren(el("caption", {}, "Shared variables as of now"),
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Variable"), el("th", { scope: "col" }, "Value"), el("th", { scope: "col" }, "Written by"))),
        el("tbody", {}, rows.length ? rows : el("tr", {}, el("td", { colspan: 3 }, "none accessed yet"))));
    }

    function stand() {
      const last = new Map();
      for (let index = 0; index < done; index += 1) last.set(actions[index].task, actions[index]);
      const rows = [...last].slice(-50).map(([task, action]) => {
        const own = done > 0 && actions[done - 1].task === task;
        return el("tr", { class: own ? "changed" : null },
          el("th", { scope: "row", title: tasks[task] }, own && el("span", { "aria-label": "acting" }, "▶ "), middle(tasks[task], 20)), el("td", {}, action.text), el("td", {}, lineName(action)));
      });
      standing.replaceChildren(el("caption", {}, "Tasks and what each did last"), el("tbody", {}, rows.length ? rows : el("tr", {}, el("td", {}, "nobody has acted yet"))));
    }

    function go(to) {
      done = Math.min(actions.length, Math.max(0, to));
      slider.value = done;
      slider.setAttribute("aria-valuetext", `after ${done} of ${counted(actions.length, "action")}`);
      const total = actions.length + (playback.left_out || 0);
      position.textContent = `${grouped(done + (playback.left_out || 0))} of ${grouped(total)}`;
      const action = actions[done - 1];
      const letter = letterOf(done - 1);
      now.replaceChildren(...(action
        ? [letter ? el("b", { class: `letter side-${letter}` }, letter) : "", letter ? " " : "", el("b", {}, tasks[action.task]), ` ${action.text}`, letter ? ": one of the two racing accesses" : ""]
        : ["Before the first action."]));
      const at = action && action.line ? action : null;
      const known = at && lineOf(at.file, at.line) !== undefined;
      const style = letter ? `side-${letter}` : "step";
      source.replaceChildren(at ? el("p", { class: "place" }, fullPlace(at)) : "",
        known ? excerpt(at, [{ file: at.file, line: at.line, column: at.column, style, letter: letter || "▶" }], 4, 4) : el("p", { class: "missing" }, action ? "This action has no line of its own." : ""));
      table();
      stand();
      const top = (done - 1) * ROW;
      if (top < log.scrollTop || top + 2 * ROW > log.scrollTop + log.clientHeight) log.scrollTop = top - log.clientHeight / 2;
      window_();
      if (done === actions.length) pause();
      for (const [which, off] of [["first", done === 0], ["back", done === 0], ["forward", done === actions.length], ["last", done === actions.length]]) {
        controls[which].setAttribute("aria-disabled", off);
      }
    }
    function pause() {
      clearInterval(timer);
      timer = null;
      controls.play.replaceChildren("Play");
    }
    function play() {
      if (timer) return pause();
      if (done === actions.length) go(0);
      controls.play.replaceChildren("Pause");
      timer = setInterval(() => {
        if (!frame.isConnected) return pause();
        go(done + 1);
      }, 700);
    }
    const button = (text, title, action) => el("button", { type: "button", title, "aria-label": title, click: action }, text);
    const controls = {
      first: button("|◀", "First (Home)", () => go(0)), back: button("◀", "Back (←)", () => go(done - 1)),
      play: button("Play", "Play or pause (Space)", play), forward: button("▶", "Forward (→)", () => go(done + 1)),
      last: button("▶|", "Last (End)", () => go(actions.length)),
    };
    slider.addEventListener("input", () => go(Number(slider.value)));
    log.addEventListener("scroll", window_);
    const frame = el("div", { class: "player", role: "group", "aria-label": "Player of the witness" },
      el("div", { class: "toolbar", role: "toolbar", "aria-label": "Player" }, Object.values(controls), slider, position),
      playback.left_out ? el("p", { class: "hint" }, `The first ${counted(playback.left_out, "action")} are left out.`) : "",
      now,
      el("div", { class: "stage" }, log, el("div", { class: "state" }, source, values, standing)));
    const keys = { Home: () => go(0), End: () => go(actions.length), ArrowLeft: () => go(done - 1), ArrowRight: () => go(done + 1) };
    stepActive = (key) => {
      if (!frame.isConnected) return false;
      if (key === " ") play();
      else if (keys[key]) keys[key]();
      else return false;
      return true;
    };
    requestAnimationFrame(() => go(0));
    return frame;
  }

  // The last actions as a table, for paper.
  function printed(finding) {
    const playback = playbackOf(finding);
    if (!playback) return null;
    const from = Math.max(0, playback.actions.length - 40);
    const letter = (index) => (!playback.racing ? "" : playback.racing[0] === index ? "A" : playback.racing[1] === index ? "B" : "");
    return el("table", { class: "witness" },
      el("caption", {}, `The witness${from ? `, its last ${playback.actions.length - from} actions` : ""}`),
      el("tbody", {}, playback.actions.slice(from).map((action, i) => el("tr", {},
        el("td", {}, from + i + 1 + (playback.left_out || 0)), el("td", {}, letter(from + i)), el("td", {}, playback.tasks[action.task]), el("td", {}, action.text), el("td", {}, action.line ? shortPlace(action) : "")))));
  }

  return { section, printed, key: (key) => stepActive !== null && stepActive(key) };
})();
