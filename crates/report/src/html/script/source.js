// Lines of the program: excerpts with a mark on what is accessed.

function lineOf(file, number) {
  for (const excerpt of data.sources[file] || []) {
    const line = excerpt.lines[number - excerpt.from];
    if (number >= excerpt.from && line !== undefined) return line;
  }
  return undefined;
}

// The index of the character at a column. TP's columns count characters, those of compilers bytes.
function characterAt(chars, file, column) {
  if (file.endsWith(".tp") || file === "-") return column - 1;
  let [at, bytes] = [0, 1];
  for (; at < chars.length && bytes < column; at += 1) {
    const point = chars[at].codePointAt(0);
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return at + Math.max(0, column - bytes);
}

// Characters of the line that a column names: a name with its indices and members, or one character.
function marked(line, file, column) {
  const chars = Array.from(line);
  const start = characterAt(chars, file, column);
  if (column < 1 || start >= chars.length) return null;
  const word = (c) => c !== undefined && /[\p{L}\p{N}_]/u.test(c);
  let end = start;
  while (word(chars[end])) end += 1;
  if (end === start) return [start, start + 1];
  for (;;) {
    if (chars[end] === "[") {
      let depth = 0;
      let at = end;
      for (; at < chars.length; at += 1) {
        if (chars[at] === "[") depth += 1;
        if (chars[at] === "]" && (depth -= 1) === 0) break;
      }
      if (at >= chars.length) break;
      end = at + 1;
    } else if (chars[end] === "." && word(chars[end + 1])) {
      end += 1;
      while (word(chars[end])) end += 1;
    } else {
      break;
    }
  }
  return [start, end];
}

function codeLine(line, marks) {
  const chars = Array.from(line);
  const parts = [];
  let at = 0;
  for (const { span, style, letter } of marks) {
    if (!span || span[0] < at) continue;
    parts.push(chars.slice(at, span[0]).join(""));
    parts.push(el("mark", { class: style, "data-letter": letter }, chars.slice(...span).join("")));
    at = span[1];
  }
  parts.push(chars.slice(at).join(""));
  return el("code", {}, parts);
}

// The lines around `at`, with all marks that are in the file: { file, line, column, style, letter }.
function excerpt(at, all, before, after) {
  const file = at.file;
  const marks = all.filter((mark) => mark.file === file);
  const body = el("div", { class: "lines", role: "group", "aria-label": `Source of ${file}`, tabindex: "0" });
  let [from, to] = [Math.max(1, at.line - before), at.line + after];
  const row = (number) => {
    const text = lineOf(file, number);
    if (text === undefined) return null;
    const here = marks.filter((m) => m.line === number).sort((a, b) => a.column - b.column);
    const shown = here.map((m) => ({ ...m, span: marked(text, file, m.column) }));
    return el("div", { class: here.length ? `line hit ${here[0].style}` : "line" },
      el("span", { class: "gutter", "aria-hidden": "true" }, here.map((m) => m.letter).join("")),
      el("span", { class: "number" }, number),
      codeLine(text, shown));
  };
  const rows = (a, b) => {
    const found = [];
    for (let number = Math.max(1, a); number <= b; number += 1) found.push(row(number));
    return found.filter(Boolean);
  };
  const more = (label, act) => el("button", { type: "button", class: "more", click: act }, label);
  body.append(...rows(from, to));
  if (!body.childElementCount) {
    return el("p", { class: "missing" }, `The line of ${fullPlace(at)} was not found when the report was written.`);
  }
  const up = more("↑ more lines", () => {
    body.prepend(...rows(from - 10, from - 1));
    from -= 10;
    up.hidden = lineOf(file, from - 1) === undefined;
  });
  const down = more("↓ more lines", () => {
    body.append(...rows(to + 1, to + 10));
    to += 10;
    down.hidden = lineOf(file, to + 1) === undefined;
  });
  up.hidden = lineOf(file, from - 1) === undefined;
  down.hidden = lineOf(file, to + 1) === undefined;
  return el("div", { class: "excerpt" }, up, body, down);
}
