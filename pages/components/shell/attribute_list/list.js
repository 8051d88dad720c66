// A list to read, with as many of its attributes selected as somebody wants, and one act for all of them. The server
// keeps every act and draws the list anew; until then what it is about says so.

const lists = new WeakMap();
const WRITES = "input:not([type=checkbox]), textarea, select, [contenteditable=true], [role=combobox], [role=dialog]";

export default function (component) {
  const { parentElement, data } = component;
  if (!lists.has(parentElement)) lists.set(parentElement, new AttributeList(parentElement, data));
  const list = lists.get(parentElement);
  const drawing = list.open((message) => component.setStateValue("acts", message));
  list.receive(data);
  return () => list.close(drawing);
}

class AttributeList {
  constructor(root, data) {
    this.data = data;
    this.name = `attributes-${Math.random().toString(36).slice(2)}`;
    this.shelf = `interacteval.wording.${data.list}.`;
    this.outbox = new Outbox("acts", () => this.draw());
    this.groups = new Map();
    this.rows = new Map();
    this.order = []; // the rows in the order they stand in
    this.selected = new Set(); // ids
    this.current = null; // key of the row where the keyboard is
    this.anchor = null; // key of the row that was ticked last
    this.asks = false; // whether to ask why, after something was left out here
    this.toRead = false; // nothing can be done with what is listed
    this.drawing = 0;
    this.onKey = (event) => this.key(event);
    this.head = new Head(this);
    this.list = make("div", "groups");
    this.list.addEventListener("mousedown", (event) => event.shiftKey && event.preventDefault());
    this.list.addEventListener("click", (event) => this.clicked(event));
    this.list.addEventListener("focusin", (event) => this.entered(event));
    this.empty = make("p", "quiet");
    this.root = make("div", "attribute-list");
    this.edge = make("div"); // once it is out of sight, the head covers what scrolls by above it
    this.watch = new IntersectionObserver(
      ([edge]) => this.head.element.classList.toggle("stuck", !edge.isIntersecting && edge.boundingClientRect.top < 60),
      { rootMargin: "-60px 0px 0px" },
    );
    this.root.append(this.edge, this.head.element, this.empty, this.list, this.head.foot);
    root.append(this.root);
  }

  // ---- life: the server may draw again at any time; only the newest drawing may take the listeners away

  open(tell) {
    this.outbox.tell = tell;
    this.watch.observe(this.edge);
    document.addEventListener("keydown", this.onKey); // a listener that is there already isn't added again
    this.drawing += 1;
    return this.drawing;
  }

  close(drawing) {
    if (drawing !== this.drawing) return;
    document.removeEventListener("keydown", this.onKey);
    this.watch.disconnect();
    clearTimeout(this.outbox.timer);
  }

  receive(data) {
    this.data = data;
    this.toRead = !Object.keys(data.words).length;
    this.root.classList.toggle("to-read", this.toRead);
    const place = Math.max(0, this.place());
    const focused = this.list.contains(document.activeElement);
    this.arrange();
    const over = this.outbox.confirm(data.page, data.confirmed);
    if (over.length) this.asks = true;
    if (over.length && data.problem) this.selected = new Set(over.flatMap((act) => act.ids ?? []));
    const there = new Set(this.order.map((row) => row.id));
    for (const id of this.selected) if (!there.has(id)) this.selected.delete(id);
    if (!this.rows.has(this.current)) this.current = this.order[Math.min(place, this.order.length - 1)]?.key ?? null;
    this.draw();
    if (focused && !this.list.contains(document.activeElement)) this.focusRow(false);
    if (!this.restored) this.restoreDraft();
  }

  // ---- what is in the list: the same elements as before, so that focus and half a wording stay where they are

  arrange() {
    const { groups, rows, noun, label, empty } = this.data;
    const [oldGroups, oldRows] = [this.groups, this.rows];
    [this.groups, this.rows, this.order] = [new Map(), new Map(), []];
    for (const group of groups) {
      const made = oldGroups.get(group.key) ?? new Group(this.name, group.key);
      const members = rows.filter((row) => row.group === group.key);
      this.groups.set(group.key, made);
      made.show(group, noun, members.length);
      put(made.items, members.map((row) => this.arrangeRow(row, oldRows)));
    }
    this.list.setAttribute("aria-label", label);
    put(this.list, [...this.groups.values()].map((group) => group.section));
    this.empty.textContent = empty;
    this.empty.hidden = Boolean(this.order.length);
  }

  arrangeRow(row, old) {
    const key = `${row.group}-${row.id}`;
    const drawn = old.get(key) ?? new Row(this.name, key);
    drawn.show(row, (one) => this.reword(one));
    this.rows.set(key, drawn);
    this.order.push(drawn);
    return drawn.item;
  }

  draw() {
    const waits = new Set(this.outbox.pending.flatMap((act) => act.ids ?? []));
    for (const row of this.order) {
      row.box.checked = this.selected.has(row.id);
      row.item.classList.toggle("selected", row.box.checked);
      row.item.classList.toggle("waits", waits.has(row.id));
    }
    for (const group of this.groups.values()) mark(group.box, this.of(group), this.selected);
    this.rove();
    this.head.draw();
  }

  of(group) {
    return this.order.filter((row) => row.shown.group === group.key);
  }

  place() {
    return this.order.findIndex((row) => row.key === this.current);
  }

  // ---- acts

  // Those selected that this can be done to; with a key, where none is selected, the one where the keyboard is.
  able(kind, here) {
    const under = here ? this.rows.get(this.current) : null;
    const wanted = !this.selected.size && under ? new Set([under.id]) : this.selected;
    const ids = this.order.filter((row) => wanted.has(row.id) && row.shown.acts.includes(kind)).map((row) => row.id);
    return [...new Set(ids)];
  }

  act(act) {
    this.head.shut();
    this.asks = false;
    for (const id of act.ids ?? []) this.selected.delete(id);
    if (act.kind === "merge") this.selected.delete(act.target);
    this.outbox.add(act);
    this.focusRow(false);
  }

  exclude(here) {
    const ids = this.able("exclude", here);
    if (ids.length) this.act({ kind: "exclude", ids, text: "" });
  }

  restore(here) {
    const ids = this.able("restore", here);
    if (ids.length) this.act({ kind: "restore", ids });
  }

  undo() {
    if (this.data.undo) this.act({ kind: "undo" });
  }

  move(here) {
    const { targets, noun } = this.data;
    const ids = this.able("move", here);
    if (!ids.length || !targets.length) return;
    const what = `Move ${counted(ids.length, noun)} to`;
    const choices = targets.map((target, n) => {
      const go = () => this.act({ kind: "move", ids, target: target.id });
      return button(target.name, go, digit(n), `${what} ${target.name}`);
    });
    this.head.unfold("move", what, choices);
  }

  merge(here) {
    const ids = this.able("merge", here);
    if (ids.length < 2) return this.head.say(`Select at least two ${this.data.noun}s that say the same.`);
    const choices = ids.map((id, n) => {
      const { text, said_by } = this.order.find((row) => row.id === id).shown;
      const others = ids.filter((other) => other !== id);
      const keep = () => this.act({ kind: "merge", ids: others, target: id });
      const one = button(text, keep, digit(n), `Keep: ${text}`);
      one.classList.add("whole");
      one.firstChild.dir = "auto";
      one.firstChild.after(make("small", "quiet", said_by));
      return one;
    });
    this.head.unfold("merge", `Which one stands for all ${ids.length}? The others stay on record.`, choices);
  }

  askNoMore() {
    this.asks = false;
    this.draw();
    this.focusRow(false);
  }

  // ---- wordings

  reword(row) {
    const { id, text } = row.shown;
    const leave = () => {
      this.draft(id, null);
      row.close();
      this.current = row.key;
      this.focusRow(false);
    };
    const save = (wording) => {
      leave();
      if (wording.trim() && wording.trim() !== text) this.act({ kind: "reword", ids: [id], text: wording });
    };
    this.current = row.key;
    this.draw();
    row.edit(this.draft(id), save, leave, (typed) => this.draft(id, typed));
  }

  // Half a wording outlives a reload of the page.
  draft(id, typed) {
    try {
      if (typed === undefined) return sessionStorage.getItem(this.shelf + id);
      if (typed === null) sessionStorage.removeItem(this.shelf + id);
      else sessionStorage.setItem(this.shelf + id, typed);
    } catch {
      // a browser that keeps nothing for a page
    }
    return null;
  }

  restoreDraft() {
    this.restored = true;
    const begun = this.order.find((row) => row.shown.acts.includes("reword") && this.draft(row.id) !== null);
    if (begun) this.reword(begun);
  }

  // ---- selecting

  toggle(row, range) {
    const from = this.order.findIndex((one) => one.key === this.anchor);
    const to = this.order.indexOf(row);
    if (range && from >= 0) {
      for (const one of this.order.slice(Math.min(from, to), Math.max(from, to) + 1)) this.selected.add(one.id);
    } else if (!this.selected.delete(row.id)) this.selected.add(row.id);
    this.anchor = this.current = row.key;
    this.head.shut();
    this.draw();
  }

  // All of them, or none where all are selected already.
  tickAll(rows) {
    const every = rows.every((row) => this.selected.has(row.id));
    for (const row of rows) {
      if (every) this.selected.delete(row.id);
      else this.selected.add(row.id);
    }
    this.head.shut();
    this.draw();
  }

  clicked(event) {
    if (this.toRead) return;
    const group = [...this.groups.values()].find((one) => one.box === event.target);
    if (group) return this.tickAll(this.of(group));
    const item = event.target.closest("li");
    if (!item || event.target.closest("button, textarea")) return;
    const row = this.rows.get(item.dataset.row);
    const marked = document.getSelection();
    const copies = !event.shiftKey && marked && !marked.isCollapsed && item.contains(marked.anchorNode);
    if (event.target !== row.box && copies) return;
    this.toggle(row, event.shiftKey);
    this.focusRow(false);
  }

  entered(event) {
    const item = event.target.closest("li");
    if (!item || item.dataset.row === this.current) return;
    this.current = item.dataset.row;
    this.rove();
  }

  // One row at a time is reached by Tab.
  rove() {
    if (!this.rows.has(this.current)) this.current = this.order[0]?.key ?? null;
    for (const row of this.order) row.reach(row.key === this.current);
  }

  step(by) {
    const inside = this.list.contains(document.activeElement);
    const next = this.place() + (inside ? by : 0);
    this.current = this.order[Math.min(Math.max(next, 0), this.order.length - 1)]?.key ?? null;
    this.rove();
    this.focusRow(true);
  }

  focusRow(scroll) {
    const row = this.rows.get(this.current);
    if (!row || row.field) return;
    row.box.focus({ preventScroll: true });
    if (scroll) row.item.scrollIntoView({ block: "nearest" });
  }

  escape() {
    if (this.head.opened) this.head.shut();
    else this.selected.clear();
    this.draw();
    this.focusRow(false);
  }

  // ---- keys

  key(event) {
    if (this.toRead) return;
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    const target = event.composedPath()[0];
    if (!this.root.isConnected || document.querySelector("[role=dialog], [role=alertdialog]")) return;
    if (target instanceof Element && target.closest(WRITES)) return;
    const pressed = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const act = this.actOf(pressed, target);
    if (!act) return;
    event.preventDefault();
    if (!event.repeat || act === this.next || act === this.before) act();
  }

  next = () => this.step(1);
  before = () => this.step(-1);

  actOf(pressed, target) {
    const row = this.rows.get(this.current);
    const inside = target instanceof Element && this.root.contains(target);
    if (/^[1-9]$/.test(pressed) && this.head.choices.length) return () => this.head.press(Number(pressed));
    if (inside && pressed === "Escape") return () => this.escape();
    if (inside && target.matches("li > input") && pressed.startsWith("Arrow")) {
      return { ArrowDown: this.next, ArrowUp: this.before }[pressed];
    }
    return {
      j: this.next,
      k: this.before,
      x: row && (() => this.toggle(row, false)),
      e: () => this.exclude(true),
      v: () => this.move(true),
      m: () => this.merge(true),
      i: () => this.restore(true),
      w: row?.shown.acts.includes("reword") && (() => this.reword(row)),
      u: () => this.undo(),
      "?": () => this.head.keys(),
    }[pressed];
  }
}

function digit(n) {
  return n < 9 ? String(n + 1) : "";
}

// These children and no others, in this order; what stands right isn't touched, and keeps the focus.
function put(parent, children) {
  const wanted = new Set(children);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  children.forEach((child, place) => {
    if (parent.children[place] !== child) parent.insertBefore(child, parent.children[place] ?? null);
  });
}
