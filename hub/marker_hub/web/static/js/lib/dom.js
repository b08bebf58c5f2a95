// A small virtual tree: a page describes what it shows, and only what differs from before is touched.

const SVG = "http://www.w3.org/2000/svg";
const PROPERTIES = new Set(["value", "checked", "disabled", "selected", "open"]);

/**
 * A node: tag, attributes (`key`, `on…` handlers, `style` as an object, `enter`: a class given only to what joins a page that
 * is already shown), children; null, false and "" leave nothing behind.
 */
export function h(tag, attributes, ...children) {
  return { tag, attributes: attributes ?? {}, children: flat(children), key: attributes?.key };
}

function flat(children) {
  const out = [];
  for (const child of children) {
    if (Array.isArray(child)) out.push(...flat(child));
    else if (child !== null && child !== undefined && child !== false && child !== "") {
      out.push(typeof child === "object" ? child : { text: String(child) });
    }
  }
  return out;
}

let joining = false; // the page was shown before: what is made now enters

function create(node, svg) {
  if (node.text !== undefined) return (node.el = document.createTextNode(node.text));
  const inSvg = svg || node.tag === "svg";
  const el = inSvg ? document.createElementNS(SVG, node.tag) : document.createElement(node.tag);
  node.el = el;
  const inner = inSvg && node.tag !== "foreignObject";
  for (const child of node.children) el.append(create(child, inner));
  for (const [name, value] of Object.entries(node.attributes)) assign(el, name, value, undefined);
  if (joining && node.attributes.enter) el.classList.add(node.attributes.enter);
  return el;
}

function assign(el, name, value, old) {
  if (name === "key" || name === "enter") return;
  if (name.startsWith("on")) el[name.toLowerCase()] = value ?? null;
  else if (name === "style") {
    for (const part of Object.keys(old ?? {})) if (!value || !(part in value)) el.style.removeProperty(part);
    for (const [part, to] of Object.entries(value ?? {})) if (!old || old[part] !== to) el.style.setProperty(part, to);
  } else if (name === "drawing") draw(el, value);
  else if (PROPERTIES.has(name)) {
    if (name === "value" && document.activeElement === el && old !== undefined) return; // never under the person's hands
    if (el[name] !== value) el[name] = value ?? (typeof el[name] === "boolean" ? false : "");
  } else if (value === null || value === undefined || value === false) el.removeAttribute(name);
  else el.setAttribute(name, value === true ? "" : String(value));
}

/** `drawing`: an SVG that the hub made, as text; it replaces whatever the element held. */
function draw(el, text) {
  const drawn = text ? new DOMParser().parseFromString(text, "image/svg+xml").documentElement : null;
  el.replaceChildren(...(drawn?.tagName === "svg" ? [document.importNode(drawn, true)] : []));
}

function update(node, before, svg) {
  node.el = before.el;
  if (node === before) return;
  if (node.text !== undefined) {
    if (node.text !== before.text) node.el.nodeValue = node.text;
    return;
  }
  const inSvg = svg || node.tag === "svg";
  children(node.el, node.children, before.children, inSvg && node.tag !== "foreignObject");
  for (const name of Object.keys(before.attributes)) {
    if (!(name in node.attributes)) assign(node.el, name, undefined, before.attributes[name]);
  }
  for (const [name, value] of Object.entries(node.attributes)) {
    if (value !== before.attributes[name] || PROPERTIES.has(name)) assign(node.el, name, value, before.attributes[name]);
  }
}

const same = (a, b) => a.tag === b.tag && a.key === b.key && (a.text === undefined) === (b.text === undefined);

function children(parent, next, before, svg) {
  const keyed = new Map();
  const plain = [];
  for (const node of before) {
    if (node.key !== undefined) keyed.set(node.key, node);
    else plain.push(node);
  }
  const kept = new Set();
  let place = parent.firstChild;
  for (const node of next) {
    let old = node.key !== undefined ? keyed.get(node.key) : plain[0];
    if (old && same(node, old)) {
      if (node.key === undefined) plain.shift();
      kept.add(old);
      update(node, old, svg);
    } else {
      old = undefined;
      create(node, svg);
    }
    if (node.el === place) place = place.nextSibling;
    else {
      // A node that is going away anyway must not make the others move.
      while (place && !old && goes(place, before, kept, next)) place = place.nextSibling;
      parent.insertBefore(node.el, place);
    }
  }
  for (const node of before) if (!kept.has(node)) node.el.remove();
}

function goes(el, before, kept, next) {
  const node = before.find((item) => item.el === el);
  return Boolean(node) && !kept.has(node) && node.key !== undefined && !next.some((item) => item.key === node.key);
}

/** Shows `nodes` inside `parent`, starting from what was shown there last. */
export function render(parent, nodes) {
  const next = flat([nodes]);
  joining = parent.shown !== undefined;
  children(parent, next, parent.shown ?? [], false);
  parent.shown = next;
}
