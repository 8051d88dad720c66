// What is drawn of a group and of an attribute. People's words only ever become text nodes, never HTML.

function make(tag, className, words) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (words !== undefined) element.textContent = words;
  return element;
}

function counted(count, noun) {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

// A button whose key is shown beside its words and known to those who hear the page.
function button(words, act, key, label) {
  const made = make("button");
  made.type = "button";
  made.append(make("span", "", words));
  if (key) {
    const hint = make("kbd");
    hint.dataset.key = key; // drawn by the style: who hears the page hears aria-keyshortcuts
    made.append(hint);
    made.setAttribute("aria-keyshortcuts", key);
  }
  if (label) made.setAttribute("aria-label", label);
  made.addEventListener("click", act);
  return made;
}

function tick(label) {
  const box = make("input");
  box.type = "checkbox";
  if (label) box.setAttribute("aria-label", label);
  return box;
}

class Group {
  constructor(name, key) {
    this.key = key;
    this.section = make("section");
    this.box = tick();
    this.title = make("bdi", "title");
    this.note = make("span", "quiet");
    const heading = make("h2");
    const words = make("label");
    heading.id = `${name}-${key}`;
    words.append(this.box, this.title);
    heading.append(words, this.note);
    this.about = make("p", "quiet about");
    this.items = make("ul");
    this.items.setAttribute("role", "list");
    this.section.setAttribute("aria-labelledby", heading.id);
    this.section.append(heading, this.about, this.items);
  }

  show(group, noun, count) {
    this.title.textContent = group.title;
    this.note.textContent = [counted(count, noun), group.note].filter(Boolean).join(", ");
    this.about.textContent = group.about;
    this.about.hidden = !group.about;
    this.box.disabled = !count;
    this.box.setAttribute("aria-label", `Select all of ${group.title}, ${counted(count, noun)}`);
  }
}

class Row {
  constructor(name, key) {
    this.key = key;
    this.item = make("li");
    this.item.dataset.row = key;
    this.box = tick();
    this.words = make("p", "words");
    this.words.dir = "auto";
    this.notes = make("p", "quiet notes");
    this.notes.id = `${name}-${key}-notes`;
    this.box.setAttribute("aria-describedby", this.notes.id);
    this.body = make("div", "body");
    this.body.append(this.words, this.notes);
    this.item.append(this.box, this.body);
  }

  show(row, reword) {
    const drawn = JSON.stringify(row);
    this.shown = row;
    if (this.drawn === drawn) return;
    this.drawn = drawn;
    this.id = row.id;
    this.item.classList.toggle("out", !row.in_use);
    this.words.textContent = row.text;
    this.box.setAttribute("aria-label", row.text); // by the words' id it would have no name while they are out of sight
    const who = [row.said_by && make("bdi", "", row.said_by), row.state && make("bdi", "state", row.state)].filter(Boolean);
    if (who.length > 1) who.splice(1, 0, " · ");
    this.notes.replaceChildren(...who);
    if (row.first) this.notes.append(make("span", "first", "First said, and kept on record: "));
    if (row.first) this.notes.lastChild.append(make("bdi", "", row.first));
    if (row.quote) this.notes.append(make("span", "first", "About “"));
    if (row.quote) this.notes.lastChild.append(make("bdi", "", row.quote), "”");
    this.notes.hidden = !row.first && !row.quote && !who.length;
    if (!row.acts.includes("reword")) return this.opener?.remove();
    this.opener ??= button("Reword", () => reword(this));
    this.opener.setAttribute("aria-label", `Reword: ${row.text}`);
    if (!this.opener.isConnected) this.item.append(this.opener);
  }

  reach(byTab) {
    this.box.tabIndex = byTab ? 0 : -1;
    if (this.opener) this.opener.tabIndex = this.box.tabIndex;
  }

  // The wording in a field of its own, until it is saved or given up.
  edit(draft, save, leave, keep) {
    if (this.field) return this.field.focus();
    this.field = make("textarea");
    this.field.dir = "auto";
    this.field.value = draft ?? this.shown.text;
    this.field.setAttribute("aria-label", `New wording of: ${this.shown.text}`);
    const fit = () => {
      this.field.style.height = "auto";
      this.field.style.height = `${this.field.scrollHeight + 2}px`;
    };
    this.field.addEventListener("input", () => [fit(), keep(this.field.value)]);
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Escape") leave();
      else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save(this.field.value);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    const row = make("div", "buttons");
    row.append(button("Save wording", () => save(this.field.value), "Ctrl+Enter"), button("Cancel", leave, "Esc"));
    row.firstChild.classList.add("primary");
    this.editor = make("div", "editor");
    this.editor.append(this.field, row);
    this.words.hidden = true;
    this.body.prepend(this.editor);
    if (this.opener) this.opener.hidden = true;
    fit();
    this.field.focus();
  }

  close() {
    this.editor?.remove();
    this.field = this.editor = null;
    this.words.hidden = false;
    if (this.opener) this.opener.hidden = false;
  }
}
