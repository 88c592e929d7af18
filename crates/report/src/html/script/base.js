// Elements, numbers and the data: what all other parts use.

// All text goes through here and becomes text nodes and attributes, never markup.
function make(space, tag, attributes, children) {
  const node = space ? document.createElementNS(space, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") node.addEventListener(name, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(3)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child);
  }
  return node;
}
const el = (tag, attributes, ...children) => make(null, tag, attributes, children);
const svg = (tag, attributes, ...children) => make("http://www.w3.org/2000/svg", tag, attributes, children);
const byId = (id) => document.getElementById(id);

const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
const counted = (n, noun) => `${grouped(n)} ${noun}${n === 1 ? "" : "s"}`;
const baseName = (file) => file.slice(file.lastIndexOf("/") + 1);
// The shorter name of a file or function, where there is one.
const short = (name) => data.names[name] || name;
const shortPlace = (at) => (at && at.file ? `${baseName(at.file)}${at.line ? `:${at.line}` : ""}` : "unknown place");
const fullPlace = (at) => {
  if (!at || !at.file) return "unknown place";
  return short(at.file) + (at.line ? `:${at.line}` : "") + (at.line && at.column ? `:${at.column}` : "");
};
const middle = (text, room) => {
  if (text.length <= room) return text;
  const head = Math.ceil((room - 1) / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (room - 1 - head))}`;
};

const data = JSON.parse(byId("data").textContent);
const report = data.report;
const libraries = new Set(data.libraries);
// What is said about a race.
const told = data.races.map(({ on, parts }) => ({ on, parts: parts.map(([label, text]) => [label, data.texts[text]]) }));
const isLibrary = (file) => libraries.has(file);

// Parsed when first asked for, and kept.
const parsed = new Map();
function parse(id) {
  if (!parsed.has(id)) {
    const element = byId(id);
    parsed.set(id, element ? JSON.parse(element.textContent) : null);
    // The text is not needed again.
    if (element) element.remove();
  }
  return parsed.get(id);
}

const playbackNumber = new Map();
data.playbacks.forEach((of, number) => {
  const [kind, index] = Object.entries(of)[0];
  playbackNumber.set(`${kind}-${index}`, number);
});
function playbackOf(finding) {
  const number = playbackNumber.get(finding.key);
  return number === undefined ? null : parse(`playback-${number}`);
}

// A copy button; where the clipboard may not be used, it selects the text.
function copyable(text, label) {
  const code = el("code", {}, text);
  const button = el("button", { type: "button", class: "copy", "aria-label": `Copy ${label}`, click: async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  } }, "Copy");
  return el("span", { class: "copyable" }, code, button);
}
