// The computation graph around a finding.
//
// Tasks are columns, in the order of the spawn tree; a step stands below all that must come before
// it (longest path). Only tasks on the spawn paths of the finding are unfolded at first. The others
// are counted in a stub beside the step that spawned them, and long runs of steps in a pill; so the
// picture stays small, however large the graph is. A click unfolds either.

const Graph = (() => {
  const [LANE, STUB, ROW, BOX, HIGH] = [168, 132, 62, 136, 28];
  const MOST_LANES = 60;
  // A graph up to this size is shown whole.
  const [SMALL_NODES, SMALL_TASKS] = [80, 14];
  let loaded;

  // The graph with what is asked of it often: tasks as numbers, nodes by task, sizes of subtrees.
  function load() {
    if (loaded !== undefined) return loaded;
    const raw = parse("graph");
    if (!raw || !raw.nodes.length) return (loaded = null);
    const { tasks, nodes, edges } = raw;
    // A thread of a team is another task after each barrier, with the same name.
    const byName = new Map();
    for (const { id, task } of tasks) byName.set(task, [...(byName.get(task) || []), id]);
    const taskOf = new Int32Array(nodes.length);
    const nodesOf = tasks.map(() => []);
    nodes.forEach((node, id) => {
      taskOf[id] = node.task_id;
      nodesOf[taskOf[id]].push(id);
    });
    const spawner = new Int32Array(tasks.length).fill(-1);
    for (const edge of edges) {
      if (edge.kind === "spawn" && taskOf[edge.to] !== taskOf[edge.from]) spawner[taskOf[edge.to]] = edge.from;
    }
    const children = tasks.map(() => []);
    const [subtasks, substeps] = [new Int32Array(tasks.length).fill(1), new Int32Array(tasks.length)];
    for (let id = tasks.length - 1; id >= 0; id -= 1) {
      substeps[id] += nodesOf[id].length;
      const parent = tasks[id].parent;
      if (parent === null) continue;
      children[parent].unshift(id);
      subtasks[parent] += subtasks[id];
      substeps[parent] += substeps[id];
    }
    loaded = { tasks, nodes, edges, byName, taskOf, nodesOf, spawner, children, subtasks, substeps };
    return loaded;
  }

  // The tasks that an anchor may be of, and whether one of them is. A report names an iteration of a
  // worksharing loop, `main/t0, iteration 3`: any thread may execute it, and `anchor.met` is one that
  // does under the witness. `main/2/…` stands for a task and those below it.
  function candidates(graph, anchor) {
    const known = graph.byName.get(anchor.task);
    if (known) return { tasks: known, exact: true };
    const base = anchor.task.replace(/, iteration \d+$/, "");
    const own = graph.byName.get(anchor.met) || graph.byName.get(base);
    if (own || !base.endsWith("/…")) return { tasks: own || [], exact: Boolean(own) };
    const top = base.slice(0, -2);
    return { tasks: graph.tasks.filter(({ task }) => task === top || task.startsWith(`${top}/`)).map(({ id }) => id), exact: false };
  }

  // The node of an access, a wait or a failure; the task's last one if nothing in it fits.
  function locate(graph, anchor) {
    const { tasks, exact } = candidates(graph, anchor);
    if (!tasks.length) return null;
    const score = (node) => {
      let best = node.racy ? 1 : 0;
      for (const access of node.accesses) {
        if (!anchor.at || access.line !== anchor.at.line || access.file !== anchor.at.file) continue;
        const points = 2 + (access.column === anchor.at.column) + (access.access === anchor.access)
          + 2 * (access.location === anchor.location);
        best = Math.max(best, points);
      }
      return best;
    };
    const own = tasks.flatMap((task) => graph.nodesOf[task]);
    let [node, most] = [own[own.length - 1], anchor.access ? 0 : 99];
    for (const id of own) {
      const points = score(graph.nodes[id]);
      if (points > most) [node, most] = [id, points];
    }
    // Of many tasks, only one that makes this access.
    if (!exact && most < 2) return null;
    return { ...anchor, exact: graph.tasks[graph.taskOf[node]].task === anchor.task, task: graph.taskOf[node], node };
  }

  function ancestry(graph, task) {
    const path = [];
    for (let at = task; at !== null; at = graph.tasks[at].parent) path.unshift(at);
    return path;
  }

  // Which tasks to unfold at first, and the node where the spawn paths part.
  function focus(graph, anchors) {
    const paths = anchors.slice(0, 8).map((anchor) => ancestry(graph, anchor.task));
    let common = 0;
    while (paths.length && paths.every((path) => path[common] !== undefined && path[common] === paths[0][common])) common += 1;
    const fork = paths.length ? paths[0][common - 1] : 0;
    const open = new Set([0]);
    if (graph.nodes.length <= SMALL_NODES && graph.tasks.length <= SMALL_TASKS) {
      graph.tasks.forEach((task) => open.add(task.id));
    }
    const apart = paths.map((path) => path.slice(common));
    if (paths.length) paths[0].slice(Math.max(0, common - 4), common).forEach((task) => open.add(task));
    for (const path of apart) [...path.slice(0, 4), ...path.slice(-6)].forEach((task) => open.add(task));
    const parting = apart.filter((path) => path.length).map((path) => graph.spawner[path[0]]).filter((id) => id >= 0);
    const onPath = new Set(paths.flat());
    return { open, onPath, fork, forkNode: paths.length > 1 && parting.length ? Math.min(...parting) : -1 };
  }

  // What is drawn: nodes, runs of nodes, stubs; and the edges between them.
  function arrange(graph, view) {
    const { tasks, nodes, edges, taskOf, nodesOf, spawner } = graph;
    const open = [...view.open].sort((a, b) => a - b);
    const items = [];
    const itemOf = new Int32Array(nodes.length).fill(-1);
    const special = new Set(view.anchors.map((anchor) => anchor.node));
    if (view.forkNode >= 0) special.add(view.forkNode);
    for (const task of open) if (spawner[task] >= 0) special.add(spawner[task]);
    const crossing = new Map();
    for (const edge of edges) {
      const [a, b] = [taskOf[edge.from], taskOf[edge.to]];
      if (a === b || !view.open.has(a) || !view.open.has(b)) continue;
      for (const [task, node] of [[a, edge.from], [b, edge.to]]) {
        const many = crossing.get(task) || 0;
        if (many > 60) continue;
        crossing.set(task, many + 1);
        special.add(node);
      }
    }
    const whole = Math.max(6, Math.floor(400 / open.length));
    for (const task of open) {
      const own = nodesOf[task];
      const keep = new Uint8Array(own.length);
      if (own.length <= whole) keep.fill(1);
      for (let i = 0; i < own.length; i += 1) {
        if (i === 0 || i === own.length - 1 || special.has(own[i]) || view.shown.has(own[i])) {
          keep[i] = 1;
          const near = view.anchors.some((anchor) => anchor.node === own[i]);
          if (near && i > 0) keep[i - 1] = 1;
          if (near && i + 1 < own.length) keep[i + 1] = 1;
        }
      }
      for (let i = 0; i < own.length; i += 1) {
        let end = i;
        while (end < own.length && !keep[end]) end += 1;
        // What a pill would say in place of two steps, the steps say themselves.
        if (end - i < 3) end = i + 1;
        const kind = end - i > 1 ? "run" : "node";
        for (let at = i; at < end; at += 1) itemOf[own[at]] = items.length;
        items.push({ kind, task, first: own[i], last: own[end - 1], many: end - i });
        i = end - 1;
      }
    }
    // Folded children, by the item that spawned them. A folded task's nodes are in the stub of the
    // nearest unfolded ancestor; parents have smaller numbers than their children.
    const stubAt = new Map();
    const stubOf = new Int32Array(tasks.length).fill(-1);
    for (const { id, parent } of tasks) {
      if (view.open.has(id)) continue;
      if (!view.open.has(parent)) {
        stubOf[id] = stubOf[parent];
        continue;
      }
      const at = spawner[id] >= 0 ? itemOf[spawner[id]] : itemOf[nodesOf[parent][0]];
      if (!stubAt.has(at)) {
        stubAt.set(at, items.length);
        items.push({ kind: "stub", task: parent, first: graph.tasks[id].first, tops: [], at });
      }
      stubOf[id] = stubAt.get(at);
      items[stubOf[id]].tops.push(id);
    }
    for (let id = 0; id < nodes.length; id += 1) if (itemOf[id] < 0) itemOf[id] = stubOf[taskOf[id]];
    const drawn = new Map();
    for (const edge of edges) {
      const [a, b] = [itemOf[edge.from], itemOf[edge.to]];
      if (a === b || a < 0 || b < 0) continue;
      const key = `${a} ${b} ${edge.kind}`;
      const known = drawn.get(key);
      if (known) known.many += 1;
      else drawn.set(key, { a, b, kind: edge.kind, many: 1 });
    }
    // A task's own steps are in order anyway: another reason would only be drawn over them.
    const own = (link) => items[link.a].task === items[link.b].task && items[link.a].kind !== "stub" && items[link.b].kind !== "stub";
    const links = [...drawn.values()].filter((link) => link.kind === "continue" || !own(link));
    place(graph, view, open, items, links);
    return { items, links };
  }

  // Rows by longest path; columns by the spawn tree.
  function place(graph, view, open, items, links) {
    const into = items.map(() => []);
    for (const link of links) if (items[link.a].first < items[link.b].first) into[link.b].push(link.a);
    // Steps of one task stand below each other, also where a run that was cut short has no edge.
    const above = new Map();
    items.forEach((item, index) => {
      if (item.kind === "stub") return;
      if (above.has(item.task)) into[index].push(above.get(item.task));
      above.set(item.task, index);
    });
    const order = items.map((_, index) => index).sort((a, b) => items[a].first - items[b].first);
    for (const index of order) {
      items[index].row = into[index].reduce((row, from) => Math.max(row, items[from].row + 1), 0);
    }
    const below = new Map();
    for (const task of open) {
      let parent = graph.tasks[task].parent;
      while (parent !== null && !view.open.has(parent)) parent = graph.tasks[parent].parent;
      below.set(parent, [...(below.get(parent) || []), task]);
    }
    const stubs = new Set(items.filter((item) => item.kind === "stub").map((item) => item.task));
    const lane = new Map();
    let x = 0;
    const stack = [...(below.get(null) || [])].reverse();
    while (stack.length) {
      const task = stack.pop();
      lane.set(task, x + LANE / 2);
      x += LANE + (stubs.has(task) ? STUB : 0);
      stack.push(...[...(below.get(task) || [])].reverse());
    }
    for (const item of items) {
      item.x = lane.get(item.task) + (item.kind === "stub" ? (LANE + STUB) / 2 : 0);
      item.y = 40 + item.row * ROW;
      item.w = item.kind === "stub" ? STUB - 16 : BOX;
    }
    view.width = Math.max(x, LANE);
    view.height = 40 + items.reduce((most, item) => Math.max(most, item.row), 0) * ROW + 50;
  }

  const KINDS = { entry: "start", exit: "end", "finish-begin": "finish begins", "finish-end": "finish ends" };
  // What began a step, by kind: its signal, its join.
  const SYNCS = {
    promise: ["after set", "after get"], future: ["future's value", "after get"], isolated: ["left isolated", "in isolated"], lock: ["released lock", "took lock"],
    semaphore: ["after V", "after P"], event: ["after post", "after wait"],
  };
  const verb = (access) => (access === "write" ? "W" : "R");

  function label(graph, item, anchor) {
    if (item.kind === "run") return `⋮ ${counted(item.many, "step")}`;
    if (item.kind === "stub") {
      const many = item.tops.reduce((sum, task) => sum + graph.subtasks[task], 0);
      return `▸ ${counted(many, "task")}`;
    }
    const node = graph.nodes[item.first];
    if (KINDS[node.kind]) return KINDS[node.kind];
    const sync = node.sync ? SYNCS[node.sync.kind]?.[node.sync.op === "signal" ? 0 : 1] || `${node.sync.op} ${node.sync.kind}` : "";
    const seen = [...new Set(node.accesses.map((access) => `${verb(access.access)} ${access.location}`))];
    // An iteration may have been another thread's in this run, which accessed another element then.
    if (anchor && anchor.access && (anchor.exact || node.accesses.some((access) => access.location === anchor.location))) {
      const own = `${verb(anchor.access)} ${anchor.location}`;
      seen.splice(0, seen.length, own, ...seen.filter((text) => text !== own));
    }
    if (!seen.length) return sync || "step";
    return seen.slice(0, 2).join(", ") + (seen.length > 2 ? ` +${seen.length - 2}` : "");
  }

  function describe(graph, item) {
    if (item.kind === "run") {
      return `${counted(item.many, "step")} of ${graph.tasks[item.task].task}, folded. Activate to show more of them.`;
    }
    if (item.kind === "stub") {
      const names = item.tops.slice(0, 6).map((task) => graph.tasks[task].task).join(", ");
      const steps = item.tops.reduce((sum, task) => sum + graph.substeps[task], 0);
      return `Folded: ${names}${item.tops.length > 6 ? ` and ${item.tops.length - 6} more` : ""}, with all that they spawned; ${counted(steps, "step")}. Activate to unfold.`;
    }
    const node = graph.nodes[item.first];
    const accesses = node.accesses.slice(0, 12).map((a) => `${a.access}s ${a.location} at ${fullPlace(a)}`);
    if (node.accesses.length > 12) accesses.push(`and ${node.accesses.length - 12} more accesses`);
    const sync = node.sync ? `begins with a ${node.sync.op} of ${node.sync.kind} ${node.sync.id}` : "";
    const section = node.section !== null ? `in section ${node.section}` : "";
    return [`${node.kind} ${node.id} of ${node.task}`, sync, section, ...accesses].filter(Boolean).join("\n");
  }

  // Spawns and joins run in the space between two rows; the others are curves.
  function path(a, b, kind) {
    const [x1, y1, x2, y2] = [a.x, a.y + HIGH / 2, b.x, b.y - HIGH / 2];
    if (kind === "continue" && a.x === b.x) return `M${x1},${y1}V${y2}`;
    if (y2 > y1 && (kind === "spawn" || kind === "join" || kind === "continue")) {
      const gap = ROW - HIGH;
      const turn = kind === "join" ? y2 - gap * 0.4 : y1 + gap * 0.35;
      return `M${x1},${y1}V${turn}H${x2}V${y2}`;
    }
    const bend = Math.max(20, Math.abs(y2 - y1) / 3);
    return `M${x1},${y1}C${x1},${y1 + bend} ${x2},${y2 - bend} ${x2},${y2}`;
  }

  // The section of the page; `anchors`: { letter, task, access, at, location, met }.
  function section(wanted, what) {
    if (!byId("graph") && !parsed.get("graph")) {
      return el("p", { class: "missing" }, prose(data.graph_note || "This command records no computation graph."));
    }
    const graph = load();
    if (!graph) return el("p", { class: "missing" }, "The computation graph is empty.");
    const anchors = wanted.map((anchor) => locate(graph, anchor)).filter(Boolean);
    const view = { anchors, shown: new Set(), zoom: 1, x: 0, y: 0, ...focus(graph, anchors) };
    const start = new Set(view.open);
    const layer = svg("g", { class: "layer" });
    const picture = svg("svg", { class: "graph", role: "group", tabindex: "0", "aria-label": `Computation graph around ${what}. Arrow keys move it, plus and minus zoom, 0 fits it.` },
      svg("defs", {}, ["continue", "spawn", "join", "promise", "isolation"].map((kind) =>
        svg("marker", { id: `tip-${kind}`, class: `tip ${kind}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerUnits: "userSpaceOnUse", markerWidth: 9, markerHeight: 9, orient: "auto" }, svg("path", { d: "M0,0L8,4L0,8z" })))),
      layer);
    const spoken = el("pre", { class: "spoken", role: "status", "aria-live": "polite" });
    let scene;

    const apply = () => layer.setAttribute("transform", `translate(${view.x.toFixed(1)},${view.y.toFixed(1)}) scale(${view.zoom.toFixed(3)})`);
    const size = () => {
      const box = picture.getBoundingClientRect();
      return [box.width || 800, box.height || 420];
    };
    const zoomAt = (factor, cx, cy) => {
      const [w, h] = size();
      const [px, py] = [cx === undefined ? w / 2 : cx, cy === undefined ? h / 2 : cy];
      const zoom = Math.min(3, Math.max(0.05, view.zoom * factor));
      view.x = px - (px - view.x) * (zoom / view.zoom);
      view.y = py - (py - view.y) * (zoom / view.zoom);
      view.zoom = zoom;
      apply();
    };
    const fit = () => {
      const [w, h] = size();
      view.zoom = Math.min(1.2, w / (view.width + 20), h / (view.height + 10));
      view.x = (w - view.width * view.zoom) / 2;
      view.y = 5;
      apply();
    };
    // The marked steps in the middle, as large as is readable.
    const center = () => {
      const points = scene.items.filter((item) => item.kind === "node" && (item.first === view.forkNode || anchors.some((a) => a.node === item.first)));
      const [w, h] = size();
      fit();
      if (view.zoom >= 0.7 || !points.length) return;
      const [xs, ys] = [points.map((p) => p.x), points.map((p) => p.y)];
      const [wide, high] = [Math.max(...xs) - Math.min(...xs) + LANE, Math.max(...ys) - Math.min(...ys) + 2 * ROW];
      view.zoom = Math.min(1, Math.max(0.55, Math.min(w / wide, h / high)));
      view.x = w / 2 - view.zoom * (Math.max(...xs) + Math.min(...xs)) / 2;
      view.y = h / 2 - view.zoom * (Math.max(...ys) + Math.min(...ys)) / 2;
      apply();
    };
    const redraw = () => {
      scene = arrange(graph, view);
      draw();
    };
    const unfold = (item) => {
      if (item.kind === "stub") item.tops.slice(0, 8).forEach((task) => view.open.add(task));
      if (item.kind === "run") {
        const own = graph.nodesOf[item.task];
        const [from, to] = [own.indexOf(item.first), own.indexOf(item.last)];
        for (let i = from; i <= to; i += 1) if (i - from < 10 || to - i < 10) view.shown.add(own[i]);
      }
      redraw();
    };
    // A folded ancestor would leave what it spawned without a place in the tree.
    const fold = (task) => {
      for (const other of [...view.open]) if (other !== 0 && ancestry(graph, other).includes(task)) view.open.delete(other);
      redraw();
    };

    function draw() {
      layer.replaceChildren();
      for (const link of scene.links) {
        const [a, b] = [scene.items[link.a], scene.items[link.b]];
        const hot = link.kind === "spawn" && view.onPath.has(a.task) && view.onPath.has(b.task) && b.kind !== "stub";
        layer.append(svg("path", { class: `edge ${link.kind}${hot ? " hot" : ""}`, d: path(a, b, link.kind), "marker-end": `url(#tip-${link.kind})` },
          svg("title", {}, `${link.kind}${link.many > 1 ? `, ${grouped(link.many)} times` : ""}`)));
      }
      for (const item of scene.items) layer.append(box(item));
      const heads = new Set();
      for (const item of scene.items) {
        if (item.kind === "stub" || heads.has(item.task)) continue;
        heads.add(item.task);
        layer.append(head(item));
      }
    }

    function act(node, action) {
      node.addEventListener("click", action);
      node.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        event.stopPropagation();
        action();
        picture.focus();
      });
      return node;
    }

    function head(item) {
      const task = graph.tasks[item.task];
      const folds = item.task !== 0;
      const attributes = { class: "head", transform: `translate(${item.x},${item.y - HIGH / 2 - 6})` };
      if (folds) Object.assign(attributes, { role: "button", tabindex: "0", "aria-label": `Fold ${task.task}` });
      const node = svg("g", attributes, svg("title", {}, folds ? `${task.task}: fold it with all that it spawned` : task.task),
        svg("text", { x: 8 }, `${folds ? "▾ " : ""}${middle(task.task, 18)}`));
      return folds ? act(node, () => fold(item.task)) : node;
    }

    function box(item) {
      const anchor = item.kind === "node" ? anchors.find((a) => a.node === item.first) : null;
      const letters = item.kind === "node" ? anchors.filter((a) => a.node === item.first).map((a) => a.letter).join("") : "";
      const node = item.kind === "node" ? graph.nodes[item.first] : null;
      const isFork = item.kind === "node" && item.first === view.forkNode;
      const classes = ["item", item.kind, node && node.kind, letters && "anchor", letters && `side-${letters[0]}`, isFork && "fork", node && node.racy && "racy"];
      const about = describe(graph, item);
      const pressed = item.kind !== "node" || letters || isFork;
      const text = label(graph, item, anchor);
      const shape = node && (node.kind === "finish-begin" || node.kind === "finish-end" || node.kind === "entry" || node.kind === "exit")
        ? svg("path", { class: "box", d: `M${-item.w / 2 + 10},${-HIGH / 2}H${item.w / 2 - 10}L${item.w / 2},0L${item.w / 2 - 10},${HIGH / 2}H${-item.w / 2 + 10}L${-item.w / 2},0z` })
        : svg("rect", { class: "box", x: -item.w / 2, y: -HIGH / 2, width: item.w, height: HIGH, rx: item.kind === "node" ? 4 : HIGH / 2 });
      const group = svg("g", { class: classes.filter(Boolean).join(" "), transform: `translate(${item.x},${item.y})`, role: "button", tabindex: pressed ? "0" : "-1", "aria-label": `${letters ? `${letters}: ` : ""}${isFork ? "Fork: " : ""}${about}` },
        svg("title", {}, about), shape,
        node && node.section !== null && svg("rect", { class: "bar", x: -item.w / 2, y: -HIGH / 2, width: 5, height: HIGH }),
        svg("text", { class: "text", y: 4 }, middle(text, 17)),
        letters && svg("g", { class: "badge", transform: `translate(${-item.w / 2},${-HIGH / 2})` }, svg("circle", { r: 11 }), svg("text", { y: 4.5 }, letters.slice(0, 2))),
        isFork && svg("g", { class: "badge fork", transform: `translate(${item.w / 2},${HIGH / 2 - 4})` }, svg("path", { d: "M0,-13L13,0L0,13L-13,0z" }), svg("text", { y: 4.5 }, "F")));
      return act(group, () => (item.kind === "node" ? spoken.replaceChildren(about) : unfold(item)));
    }

    let drag = null;
    picture.addEventListener("pointerdown", (event) => {
      if (event.button === 0) drag = { x: event.clientX, y: event.clientY, moved: false };
    });
    picture.addEventListener("pointermove", (event) => {
      if (!drag) return;
      const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
      if (!drag.moved && Math.abs(dx) + Math.abs(dy) < 4) return;
      if (!drag.moved) picture.setPointerCapture(event.pointerId);
      drag = { x: event.clientX, y: event.clientY, moved: true };
      view.x += dx;
      view.y += dy;
      apply();
    });
    // The click that ends a drag is none.
    picture.addEventListener("click", (event) => {
      if (drag && drag.moved) event.stopPropagation();
      drag = null;
    }, true);
    picture.addEventListener("pointerup", () => { if (drag && !drag.moved) drag = null; });
    picture.addEventListener("wheel", (event) => {
      // The page scrolls on, unless the graph has been chosen.
      if (!event.ctrlKey && !picture.contains(document.activeElement)) return;
      event.preventDefault();
      const box = picture.getBoundingClientRect();
      zoomAt(Math.exp(-event.deltaY / 400), event.clientX - box.left, event.clientY - box.top);
    }, { passive: false });
    const moves = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
    picture.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (moves[event.key]) {
        view.x += moves[event.key][0];
        view.y += moves[event.key][1];
        apply();
      } else if (event.key === "+" || event.key === "=") zoomAt(1.25);
      else if (event.key === "-") zoomAt(0.8);
      else if (event.key === "0") fit();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });

    const button = (text, title, action) => el("button", { type: "button", title, "aria-label": title, click: action }, text);
    const foldFinished = () => {
      for (const task of [...view.open]) if (graph.tasks[task].ended && !view.onPath.has(task) && task !== 0) view.open.delete(task);
      view.shown.clear();
      redraw();
    };
    const unfoldMore = () => {
      const queue = [...view.open].sort((a, b) => a - b);
      for (const task of queue) {
        for (const child of graph.children[task]) {
          if (view.open.size >= MOST_LANES) break;
          if (!view.open.has(child)) queue.push(child);
          view.open.add(child);
        }
      }
      redraw();
      fit();
    };
    const reset = () => {
      view.open = new Set(start);
      view.shown.clear();
      redraw();
      center();
    };
    const toolbar = el("div", { class: "toolbar", role: "toolbar", "aria-label": "Graph" },
      button("+", "Zoom in (+)", () => zoomAt(1.25)), button("−", "Zoom out (−)", () => zoomAt(0.8)),
      button("Fit", "Fit the whole picture (0)", fit), button("Centre", "Centre the marked steps", center),
      button("Fold finished", "Fold the tasks that have ended and are not on the spawn paths", foldFinished),
      button("Unfold", `Unfold up to ${MOST_LANES} tasks`, unfoldMore), button("Reset", "As at first", reset));
    redraw();
    // Sizes are known when the section is in the page.
    requestAnimationFrame(center);
    const lost = wanted.length > anchors.length && el("p", { class: "missing" }, "Not all tasks of this finding are in this graph: it shows another schedule than the witness.");
    return el("div", { class: "graph-frame" }, toolbar, lost, picture, legend(wanted), spoken,
      el("p", { class: "hint" }, `${counted(graph.tasks.length, "task")}, ${counted(graph.nodes.length, "step")}. Drag to move, Ctrl and the wheel to zoom; click a step for its accesses, a stub or pill to unfold it.`,
        data.graph_note ? [" ", prose(data.graph_note)] : ""));
  }

  function legend(anchors) {
    const line = (kind, text) => el("li", {}, svg("svg", { class: "key", viewBox: "0 0 36 10", width: 36, height: 10, "aria-hidden": "true" }, svg("path", { class: `edge ${kind}`, d: "M0,5H36" })), ` ${text}`);
    const mark = (letter, style, text) => el("li", {}, el("b", { class: `letter ${style}` }, letter), ` ${text}`);
    return el("ul", { class: "legend", "aria-label": "Legend" },
      anchors.slice(0, 2).map((a) => mark(a.letter, `side-${a.letter}`, a.access ? `${a.access} of ${a.task}` : a.task)),
      anchors.length > 1 && mark("F", "fork", "the spawn paths part here"),
      line("continue", "next step"), line("spawn", "spawn"), line("join", "join"), line("promise", "promise, future, event"), line("isolation", "order of sections"));
  }

  return { section };
})();
