// A sample to read. Selecting words of it, by mouse, by touch or by key, opens a small field at the selection, and what
// is written there is sent with the passage. People's and models' words only ever become text nodes, never HTML.
// A draft in the field is kept as in any other (`kept_typing.js`): the field's key names the passage.

const samples = new WeakMap();
const SETTLED_MS = 400; // without a change: then a selection by touch is meant
const SHOWN = 90; // characters of a quote above the field

export default function (component) {
  const { parentElement, data } = component;
  if (!samples.has(parentElement)) samples.set(parentElement, new Sample(parentElement, data));
  const sample = samples.get(parentElement);
  const drawing = sample.listen((message) => component.setStateValue("marked", message));
  sample.receive(data);
  return () => sample.close(drawing);
}

function make(tag, className, words) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (words !== undefined) element.textContent = words;
  return element;
}

function button(label, act) {
  const made = make("button", "", label);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

const isLow = (code) => code >= 0xdc00 && code <= 0xdfff;

// The sample's text or its source. Places within it are UTF-16 units here, as the browser counts; the server counts code
// points.
class Part {
  constructor({ part, label, words, long, turns }) {
    this.name = part;
    this.text = words;
    this.section = make("section", long ? "long" : "");
    this.words = make("div", "words");
    this.words.dir = "auto";
    this.words.tabIndex = 0;
    this.words.setAttribute("role", "group");
    this.words.setAttribute("aria-label", `${label}. Arrow keys select words, with Shift more of them; Enter opens a field.`);
    this.section.append(make("p", "quiet", label), this.words);
    this.cursor = null; // words selected by key: where the selection began, where it ends
    this.drawn = "";
    this.turns = turns.map(({ start, end, folded }) => ({ start: this.units(start), end: this.units(end), folded }));
    this.unfolded = new Set(); // places of folded turns that are open
    this.formats = [];
    this.hidden = new Uint8Array(words.length); // 1 for a unit of a sign
  }

  // Formats: [start, end, kind], by their start. Their signs stay in the page, hidden, so that places stay those of the
  // text as it is stored.
  format(formats) {
    const told = JSON.stringify(formats);
    if (told === this.formatted) return;
    this.formatted = told;
    this.formats = this.inUnits(formats);
    this.hidden.fill(0);
    for (const { start, end, kind } of this.formats) if (kind === "sign") this.hidden.fill(1, start, end);
    this.look = true;
    this.cut = this.cursor = null;
    this.drawn = "";
  }

  // In one pass: there may be thousands.
  inUnits(formats) {
    const at = new Map();
    let units = 0;
    let points = 0;
    for (const place of [...new Set(formats.flatMap(([start, end]) => [start, end]))].sort((a, b) => a - b)) {
      for (; points < place && units < this.text.length; points += 1) units += this.text.codePointAt(units) > 0xffff ? 2 : 1;
      at.set(place, units);
    }
    return formats.map(([start, end, kind]) => ({ start: at.get(start), end: at.get(end), kind }));
  }

  units(points) {
    let at = 0;
    for (let count = 0; count < points && at < this.text.length; count += 1) at += this.text.codePointAt(at) > 0xffff ? 2 : 1;
    return at;
  }

  points(units) {
    return [...this.text.slice(0, units)].length;
  }

  // Without white space at either end, and never half a character. Null for no words.
  trimmed(start, end) {
    if (isLow(this.text.charCodeAt(start))) start -= 1;
    if (isLow(this.text.charCodeAt(end))) end += 1;
    const said = this.text.slice(start, end);
    if (!said.trim()) return null;
    return { part: this.name, start: start + said.length - said.trimStart().length, end: end - said.length + said.trimEnd().length };
  }

  // Nobody selected a hidden sign at either end.
  seen(start, end) {
    const unseen = (at) => this.hidden[at] || !this.text[at].trim();
    while (start < end && unseen(start)) start += 1;
    while (start < end && unseen(end - 1)) end -= 1;
    return this.trimmed(start, end);
  }

  // marks: {start, end, className, title, key, own}. Where several lie over each other, the expert's own is seen, and a
  // click names all.
  draw(marks) {
    const drawn = JSON.stringify(marks);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const ends = [...marks, ...this.turns, ...this.formats].flatMap(({ start, end }) => [start, end]);
    const cuts = [...new Set([0, this.text.length, ...ends])].sort((a, b) => a - b);
    let next = 0;
    let formats = []; // those over the piece
    const pieces = cuts.slice(1).map((end, place) => {
      const words = this.text.slice(cuts[place], end);
      formats = formats.filter((one) => one.end >= end);
      for (; this.formats[next]?.start <= cuts[place]; next += 1) formats.push(this.formats[next]);
      const kinds = formats.map(({ kind }) => kind).join(" ");
      const over = marks.filter((mark) => mark.start <= cuts[place] && end <= mark.end);
      if (!over.length) return kinds ? make("span", kinds, words) : words;
      const top = over.find(({ key }) => key === "opened") ?? over.find(({ own }) => own) ?? over.at(-1);
      const piece = make("mark", `${top.className} ${kinds}`.trim(), words);
      piece.title = over.map((mark) => mark.title).filter(Boolean).join("\n");
      piece.dataset.marks = over.map((mark) => mark.key).join(" ");
      return piece;
    });
    this.words.replaceChildren(...(this.turns.length ? this.inTurns(cuts, pieces) : pieces));
    if (this.look) this.words.querySelector(".found:not(.sign)")?.scrollIntoView({ block: "center" });
    this.look = false;
  }

  // The turns of a conversation, each under the line that names its role; what nobody said is folded.
  inTurns(cuts, pieces) {
    const drawn = this.turns.map(({ folded }, place) => {
      const turn = make(folded ? "details" : "div", "turn");
      const head = make(folded ? "summary" : "div", "head");
      const body = make("div", "body");
      turn.open = this.unfolded.has(place);
      turn.addEventListener("toggle", () => (turn.open ? this.unfolded.add(place) : this.unfolded.delete(place)));
      turn.append(head, body);
      return { turn, head, body };
    });
    pieces.forEach((piece, place) => {
      const at = this.turns.findIndex(({ end }) => cuts[place] < end);
      const { head, body } = drawn.at(at);
      (at >= 0 && cuts[place] < this.turns[at].start ? head : body).append(piece);
    });
    return drawn.map(({ turn }) => turn);
  }

  unitsAt(node, offset) {
    const before = document.createRange();
    before.selectNodeContents(this.words);
    before.setEnd(node, offset);
    return before.toString().length;
  }

  // A DOM range of these places.
  range(start, end) {
    const found = document.createRange();
    const walker = document.createTreeWalker(this.words, NodeFilter.SHOW_TEXT);
    let at = 0;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const length = node.data.length;
      if (at <= start && start <= at + length) found.setStart(node, start - at);
      if (at <= end && end <= at + length) return found.setEnd(node, end - at), found;
      at += length;
    }
    return found;
  }

  // ---- words by key

  segments(granularity) {
    this.cut ??= {};
    const language = document.documentElement.lang || undefined;
    this.cut[granularity] ??= [...new Intl.Segmenter(language, { granularity }).segment(this.text)]
      .filter(({ segment, isWordLike, index }) => (granularity === "word" ? isWordLike && !this.hidden[index] : segment.trim()))
      .map(({ index, segment }) => ({ start: index, end: index + segment.length }));
    return this.cut[granularity];
  }

  // The word that a key leads to; undefined for a key that leads nowhere.
  wordAfter(key) {
    const words = this.segments("word");
    const last = words.length - 1;
    const at = this.cursor?.head ?? -1;
    const leads = getComputedStyle(this.words).direction === "rtl" ? { ArrowLeft: 1, ArrowRight: -1 } : { ArrowLeft: -1, ArrowRight: 1 };
    if (key in leads) return Math.min(Math.max(at + leads[key], 0), last);
    if (key === "Home" || key === "End") return key === "Home" ? 0 : last;
    if (key !== "ArrowDown" && key !== "ArrowUp") return undefined;
    const sentences = this.segments("sentence");
    const here = sentences.findLastIndex(({ start }) => at >= 0 && start <= words[at].start);
    const sentence = sentences[Math.min(Math.max(here + (key === "ArrowDown" ? 1 : -1), 0), sentences.length - 1)];
    return Math.max(words.findIndex(({ start }) => start >= sentence.start), 0);
  }

  step(key, extends_) {
    const head = this.wordAfter(key);
    if (head === undefined || !this.segments("word").length) return false;
    this.cursor = { anchor: extends_ && this.cursor ? this.cursor.anchor : head, head };
    const { start, end } = this.byKey();
    const range = this.range(start, end);
    document.getSelection().setBaseAndExtent(range.startContainer, range.startOffset, range.endContainer, range.endOffset);
    reveal(range.getBoundingClientRect(), this.section);
    return true;
  }

  byKey() {
    if (!this.cursor) return null;
    const words = this.segments("word");
    const [first, last] = [this.cursor.anchor, this.cursor.head].sort((a, b) => a - b);
    return { part: this.name, start: words[first].start, end: words[last].end };
  }
}

// Bring a place into sight: in its own box where that scrolls, then on the screen.
function reveal(rect, box) {
  for (const scroller of [box, box.closest("[data-testid='stMain']")]) {
    if (!scroller || scroller.scrollHeight <= scroller.clientHeight) continue;
    const seen = scroller.getBoundingClientRect();
    const [top, bottom] = [Math.max(seen.top, 80), Math.min(seen.bottom, innerHeight - 20)];
    const by = rect.top < top ? rect.top - top : Math.max(0, rect.bottom - bottom);
    scroller.scrollBy(0, by);
    rect = new DOMRect(rect.x, rect.y - by, rect.width, rect.height);
  }
}

class Sample {
  constructor(root, data) {
    this.outbox = new Outbox("marked", () => this.draw());
    this.opened = null; // the passage that the field is about: {part, start, end}
    this.field = null;
    this.byTouch = false;
    this.byKey = false; // the selection was made with keys here: Enter opens the field
    this.problem = "";
    this.drawing = 0;
    this.root = make("div", "passages");
    this.columns = make("div", "columns");
    this.parts = new Map();
    this.note = make("div", "note");
    this.note.hidden = true;
    this.legend = make("p", "legend quiet");
    this.status = make("p", "status");
    this.status.setAttribute("role", "status");
    this.root.append(this.columns, this.legend, this.status, this.note);
    root.append(this.root);
    this.columns.addEventListener("click", (event) => this.clicked(event));
    this.columns.addEventListener("keydown", (event) => this.key(event));
    this.onDown = (event) => this.down(event);
    this.onUp = () => this.up();
    this.onChange = () => this.changed();
    this.onDrafts = () => this.restore();
  }

  // ---- life: the server may draw again at any time; only the newest drawing may take the listeners away

  listen(tell) {
    this.outbox.tell = tell;
    document.addEventListener("pointerdown", this.onDown); // a listener that is there already isn't added again
    document.addEventListener("pointerup", this.onUp);
    document.addEventListener("pointercancel", this.onUp);
    document.addEventListener("selectionchange", this.onChange);
    document.addEventListener("interacteval:drafts", this.onDrafts);
    this.drawing += 1;
    return this.drawing;
  }

  close(drawing) {
    if (drawing !== this.drawing) return;
    document.removeEventListener("pointerdown", this.onDown);
    document.removeEventListener("pointerup", this.onUp);
    document.removeEventListener("pointercancel", this.onUp);
    document.removeEventListener("selectionchange", this.onChange);
    document.removeEventListener("interacteval:drafts", this.onDrafts);
    clearTimeout(this.timer);
    clearTimeout(this.outbox.timer);
  }

  receive(data) {
    this.data = data;
    const words = JSON.stringify(data.parts);
    if (words !== this.shown) {
      this.shown = words;
      this.parts = new Map(data.parts.map((part) => [part.part, new Part(part)]));
      this.columns.replaceChildren(...[...this.parts.values()].map((part) => part.section));
      this.columns.classList.toggle("two", data.parts.length > 1);
      this.columns.classList.toggle("short", data.parts.length > 1 && 2 * data.parts[0].words.length < data.parts[1].words.length);
      this.shut();
    }
    for (const [name, part] of this.parts) part.format(data.formats[name] ?? []);
    const over = this.outbox.confirm(data.page, data.confirmed);
    if (over.length && data.problem) this.refused(over.at(-1), data.problem);
    this.draw();
    this.restore();
    if (this.field) this.place([...this.parts.get(this.opened.part).range(this.opened.start, this.opened.end).getClientRects()]);
  }

  // ---- what is selected

  down(event) {
    this.byTouch = event.pointerType === "touch";
    if (this.note.contains(event.target) || this.field?.contains(event.target)) return;
    this.byKey = false;
    this.note.hidden = true;
    for (const part of this.parts.values()) part.cursor = null;
    if (this.field && !this.written() && !this.columns.contains(event.target)) this.shut();
  }

  up() {
    if (!this.byTouch) setTimeout(() => this.look()); // the click may end the selection
  }

  changed() {
    clearTimeout(this.timer);
    if (this.byTouch) this.timer = setTimeout(() => this.look(), SETTLED_MS);
  }

  selected() {
    const selection = document.getSelection();
    if (!selection || selection.isCollapsed || !selection.rangeCount) return null;
    const range = selection.getRangeAt(0);
    for (const part of this.parts.values()) {
      if (!part.words.contains(selection.anchorNode)) continue;
      const start = part.words.contains(range.startContainer) ? part.unitsAt(range.startContainer, range.startOffset) : 0;
      const ends = part.words.contains(range.endContainer);
      return part.seen(start, ends ? part.unitsAt(range.endContainer, range.endOffset) : part.text.length);
    }
    return null;
  }

  look() {
    const found = this.byKey ? null : this.selected();
    if (!found) return;
    if (!this.opened || !this.field || ["part", "start", "end"].some((name) => found[name] !== this.opened[name])) {
      this.open(found, !this.byTouch);
    }
  }

  // ---- the field

  open(passage, focus) {
    const part = this.parts.get(passage.part);
    if (!part) return;
    const typed = this.field?.isConnected ? this.written() : "";
    const rects = [...part.range(passage.start, passage.end).getClientRects()];
    this.drop();
    this.note.hidden = true;
    this.opened = passage;
    this.problem = "";
    const quote = part.text.slice(passage.start, passage.end).replace(/\s+/g, " ");
    const long = part.points(passage.end) - part.points(passage.start) > this.data.longest;
    this.area = make("textarea");
    this.area.rows = 2;
    this.area.dir = "auto";
    this.area.maxLength = this.data.longest_words;
    this.area.addEventListener("keydown", (event) => this.typedKey(event));
    this.area.addEventListener("copy", (event) => this.copy(event));
    this.area.addEventListener("focus", () => this.draw());
    const label = make("label");
    label.append(make("span", "", "What do you notice?"), this.area);
    const holder = make("div");
    holder.dataset.testid = "stTextArea"; // as a field of Streamlit's: whose drafts are kept
    holder.append(label);
    const add = button("Add", () => this.send());
    add.classList.add("primary");
    const row = make("div", "buttons");
    row.append(add, button("Cancel", () => this.cancel()), make("span", "quiet", "Enter adds"));
    this.said = make("p", "problem");
    this.said.setAttribute("role", "alert");
    this.field = make("div", `field st-key-${this.keyOf(passage)}`);
    this.field.setAttribute("role", "group");
    this.field.setAttribute("aria-label", "About the selected words");
    const cut = [...quote];
    this.field.append(make("p", "quiet quote", `“${cut.length > SHOWN ? `${cut.slice(0, SHOWN).join("")}…` : quote}”`), holder, this.said, row);
    if (long) this.problem = `At most ${this.data.longest.toLocaleString("en")} characters can be marked. Select fewer words.`;
    this.root.append(this.field);
    this.place(rects);
    this.draw();
    this.type(""); // it is met empty; a draft of this passage comes back
    if (typed) this.type(typed);
    if (focus) this.area.focus({ preventScroll: true });
  }

  // Below the last line of the selection, within the sample's own width.
  place(rects) {
    const own = this.root.getBoundingClientRect();
    const last = rects.at(-1) ?? own;
    this.field.style.width = `${Math.min(416, own.width)}px`;
    this.field.style.left = `${Math.max(0, Math.min(last.left - own.left, own.width - Math.min(416, own.width)))}px`;
    const part = this.parts.get(this.opened.part).section.getBoundingClientRect();
    const top = Math.min(Math.max(last.bottom, part.top), part.bottom) - own.top + 6;
    this.field.style.top = `${top}px`;
    this.root.style.minHeight = `${top + this.field.offsetHeight + 12}px`;
  }

  keyOf({ part, start, end }) {
    const [from, to] = [start, end].map((at) => this.parts.get(part).points(at));
    return `${this.data.key}_${part}_${from}_${to}`;
  }

  written() {
    return this.area?.value.trim() ?? "";
  }

  // As if it were typed, so that it is a draft.
  type(words) {
    this.area.value = words;
    this.area.dispatchEvent(new Event("input", { bubbles: true }));
  }

  typedKey(event) {
    if (event.isComposing) return;
    if (event.key === "Escape") this.cancel();
    else if (event.key === "Enter" && !event.shiftKey) this.send();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Who selected words to copy them gets them, although the field has the focus.
  copy(event) {
    if (this.area.selectionStart !== this.area.selectionEnd) return;
    const { part, start, end } = this.opened;
    event.clipboardData.setData("text/plain", this.parts.get(part).text.slice(start, end));
    event.preventDefault();
  }

  send() {
    if (!this.written()) {
      this.problem = "There is nothing in the field yet.";
      return this.say();
    }
    const { part, start, end } = this.opened;
    const { text } = this.parts.get(part);
    const places = { start: this.parts.get(part).points(start), end: this.parts.get(part).points(end) };
    if (places.end - places.start > this.data.longest) return this.say();
    const entry = { part, ...places, quote: text.slice(start, end), words: this.area.value.trim() };
    const words = this.parts.get(part).words;
    this.field.remove(); // the draft stays until the server has saved it
    this.opened = this.field = this.area = null;
    this.fit();
    this.outbox.add(entry);
    words.focus({ preventScroll: true });
  }

  cancel() {
    const words = this.parts.get(this.opened.part).words;
    this.shut();
    words.focus({ preventScroll: true });
  }

  // Close the field, and let what is written in it go.
  shut() {
    this.drop();
    this.opened = null;
    this.problem = "";
    document.getSelection()?.removeAllRanges();
    this.fit();
    if (this.data) this.draw();
  }

  drop() {
    if (!this.field) return;
    this.type("");
    this.field.remove();
    this.field = this.area = null;
  }

  fit() {
    this.root.style.minHeight = "";
  }

  // The server can't keep it: the words are back in the field.
  refused(entry, problem) {
    if (this.field || !this.parts.has(entry.part)) {
      this.problem = problem;
      return;
    }
    const part = this.parts.get(entry.part);
    this.open({ part: entry.part, start: part.units(entry.start), end: part.units(entry.end) }, true);
    this.type(entry.words);
    this.problem = problem;
  }

  // What was begun before a reload, in another tab or before the server was started anew.
  restore() {
    if (this.field || this.outbox.pending.length || !window.interactevalDrafts) return;
    for (const [key, words] of Object.entries(window.interactevalDrafts(`${this.data.key}_`))) {
      const [, name, start, end] = key.match(/_(text|source)_(\d+)_(\d+)$/) ?? [];
      const part = this.parts.get(name);
      const saved = this.data.marks.some((mark) => {
        return mark.own && mark.part === name && mark.start === Number(start) && mark.end === Number(end) && mark.said === words.trim();
      });
      const passage = part && part.trimmed(part.units(Number(start)), part.units(Number(end)));
      if (!passage || saved || this.keyOf(passage) !== key) continue;
      return this.open(passage, false);
    }
  }

  // ---- keys in the text

  key(event) {
    const part = [...this.parts.values()].find(({ words }) => words === event.target);
    if (!part || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Enter") {
      const passage = part.byKey() ?? this.selected();
      if (!passage) return;
      this.open(passage, true);
      part.cursor = null;
      this.byKey = false;
    } else if (event.key === "Escape" && (part.cursor || !this.note.hidden)) {
      part.cursor = null;
      this.note.hidden = true;
      document.getSelection().removeAllRanges();
    } else if (part.step(event.key, event.shiftKey)) this.byKey = true;
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // ---- marks

  clicked(event) {
    const piece = event.target.closest?.("mark");
    if (!piece || this.selected()) return;
    const keys = piece.dataset.marks.split(" ");
    if (keys.includes("opened")) return this.area?.focus();
    const found = this.data.marks.filter((mark) => keys.includes(String(mark.id)));
    if (!found.length) return;
    this.note.replaceChildren(
      ...found.map((mark) => {
        const line = make("p");
        line.append(make("bdi", "who", mark.own ? "You" : mark.who), ": ", make("bdi", "", mark.said));
        return line;
      }),
    );
    const own = this.root.getBoundingClientRect();
    const place = [...piece.getClientRects()].at(-1);
    this.note.hidden = false;
    this.note.style.top = `${place.bottom - own.top + 6}px`;
    this.note.style.left = `${Math.max(0, Math.min(place.left - own.left, own.width - this.note.offsetWidth))}px`;
  }

  draw() {
    const waits = this.outbox.pending.map((entry) => ({ ...entry, className: "waits", title: "", key: "waits" }));
    const saved = this.data.marks.map((mark) => ({
      part: mark.part,
      start: mark.start,
      end: mark.end,
      className: `by-${mark.colour}${mark.llm ? " llm" : ""}`,
      title: `${mark.own ? "You" : mark.who}: ${mark.said}`,
      key: String(mark.id),
      own: mark.own,
    }));
    for (const [name, part] of this.parts) {
      const marks = [...saved, ...waits]
        .filter((mark) => mark.part === name)
        .map(({ start, end, ...rest }) => ({ ...rest, start: part.units(start), end: part.units(end) }));
      // A selection by touch would be lost with the text it is in: it is drawn once the field has the focus.
      if (this.opened?.part === name && this.field) {
        if (this.selected() && this.byTouch && document.activeElement !== this.area) continue;
        marks.push({ ...this.opened, className: "opened", title: "", key: "opened" });
      }
      part.draw(marks.sort((a, b) => a.start - b.start || a.end - b.end));
    }
    const people = new Map(this.data.marks.map((mark) => [mark.own ? "You" : mark.who, mark.colour]));
    this.legend.replaceChildren(...[...people].flatMap(([who, colour]) => [make("mark", `by-${colour}`, who), " "]));
    this.legend.hidden = people.size < 2;
    this.say();
  }

  say() {
    const waiting = this.outbox.pending.length;
    const late = this.outbox.tries > 1;
    this.status.textContent = waiting ? (late ? "Not saved yet; sent again until it is" : "Saving") : this.field ? "" : this.problem;
    this.status.classList.toggle("problem", !waiting && Boolean(this.problem));
    if (this.said) this.said.textContent = this.field ? this.problem : "";
  }
}
