// What stays in sight above the list and below it: what can be done with the selected; what was done, and why.

const KEYS = [
  ["J / K", "next, previous"],
  ["X", "select, or not"],
  ["Shift + click", "select all from the last one to this"],
  ["E", "exclude"],
  ["V", "move"],
  ["M", "merge"],
  ["I", "restore"],
  ["W", "reword"],
  ["U", "undo"],
  ["Esc", "close, or select none"],
  ["?", "this list of keys"],
];

class Head {
  constructor(list) {
    this.list = list;
    this.opened = null; // what is unfolded below the bar
    this.choices = []; // its buttons, which digits press
    this.bar = make("div", "bar");
    this.bar.setAttribute("role", "toolbar");
    this.all = tick();
    this.all.addEventListener("click", () => list.tickAll(list.order));
    this.count = make("span", "count");
    const every = make("label", "all");
    every.append(this.all, this.count);
    this.buttons = {
      exclude: button("", () => list.exclude(false), "E"),
      move: button("", () => list.move(false), "V"),
      merge: button("", () => list.merge(false), "M"),
      restore: button("", () => list.restore(false), "I"),
    };
    this.back = button("Undo", () => list.undo(), "U");
    this.back.classList.add("undo");
    const help = button("Keys", () => this.keys(), "?", "Show the list of keys");
    this.bar.append(every, ...Object.values(this.buttons), make("span", "push"), this.back, help);
    this.panel = make("div", "panel");
    this.status = make("p", "status");
    this.status.setAttribute("role", "status");
    this.reasons = make("div", "reasons");
    this.element = make("div", "head");
    this.element.append(this.bar, this.panel);
    this.foot = make("div", "foot");
    this.foot.append(this.status, this.reasons);
  }

  draw() {
    const { order, selected, data } = this.list;
    const { noun, words, undo, total } = data;
    const here = new Set(order.map((row) => row.id)).size;
    const all = here < total ? `${here.toLocaleString("en")} of ${counted(total, noun)}` : counted(here, noun);
    this.bar.setAttribute("aria-label", `What to do with the selected ${noun}s`);
    this.count.textContent = selected.size ? `${selected.size} selected` : all;
    mark(this.all, order, selected);
    this.all.setAttribute("aria-label", selected.size ? `${selected.size} selected, select all` : `Select all ${all}`);
    for (const [kind, one] of Object.entries(this.buttons)) {
      const able = this.list.able(kind, false).length;
      const label = words[kind] ?? "";
      one.hidden = !label || (kind === "restore" && !able);
      one.disabled = able < (kind === "merge" ? 2 : 1);
      one.firstChild.textContent = label;
      one.setAttribute("aria-label", able ? `${label} ${counted(able, noun)}` : `${label}: select ${noun}s first`);
    }
    this.back.disabled = !undo;
    this.back.firstChild.textContent = undo ? `Undo: ${undo}` : "Undo";
    this.tell();
  }

  tell() {
    const { outbox, data, asks } = this.list;
    const waiting = outbox.pending.length;
    this.status.classList.toggle("problem", Boolean(data.problem) && !waiting);
    if (waiting) this.say(outbox.tries > 1 ? "Not saved yet; sent again until it is." : "Saving");
    else this.say(data.problem || data.said);
    this.explain(!waiting && !data.problem && asks ? data.unexplained : []);
  }

  say(words) {
    if (this.status.textContent !== words) this.status.textContent = words;
  }

  // A reason is given afterwards, by who wants to: leaving out takes one act.
  explain(ids) {
    const wanted = JSON.stringify(ids);
    if (this.unexplained === wanted) return;
    this.unexplained = wanted;
    this.reasons.replaceChildren();
    if (!ids.length) return;
    const give = (text) => this.list.act({ kind: "exclude", ids, text });
    this.reasons.append(make("span", "", "Why? If you like:"));
    for (const reason of this.list.data.reasons) this.reasons.append(button(reason, () => give(reason)));
    const own = make("input");
    own.type = "text";
    own.maxLength = 1000;
    own.placeholder = "in your own words, then Enter";
    own.setAttribute("aria-label", "The reason in your own words");
    own.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && own.value.trim()) give(own.value);
    });
    this.reasons.append(own, button("×", () => this.list.askNoMore(), "", "Give no reason"));
  }

  unfold(what, title, choices) {
    if (this.opened === what) return this.list.escape();
    this.shut();
    this.opened = what;
    this.choices = choices;
    const options = make("div", "choices");
    options.append(...choices);
    this.panel.append(make("p", "", title), options, button("Cancel", () => this.list.escape(), "Esc"));
    choices[0]?.focus();
  }

  keys() {
    if (this.opened === "keys") return this.list.escape();
    this.shut();
    this.opened = "keys";
    const { words } = this.list.data;
    const found = make("dl");
    for (const [key, what] of KEYS) {
      if (what in words && !words[what]) continue; // nothing that this list does
      found.append(make("dt", "", key), make("dd", "", words[what] || what));
    }
    const close = button("Close", () => this.list.escape(), "Esc");
    this.panel.append(found, close);
    close.focus();
  }

  press(digit) {
    this.choices[digit - 1]?.click();
  }

  shut() {
    this.opened = null;
    this.choices = [];
    this.panel.replaceChildren();
  }
}

// All ticked, some or none.
function mark(box, rows, selected) {
  const ticked = rows.filter((row) => selected.has(row.id)).length;
  box.checked = Boolean(rows.length) && ticked === rows.length;
  box.indeterminate = Boolean(ticked) && ticked < rows.length;
}
