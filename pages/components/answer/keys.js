// Answers are taken here, where the person looks: each belongs to the question on the screen at that moment, and the
// next one is on the screen at once. The server is told afterwards, as often as it takes until it confirms.
// People's words only ever become text nodes, never HTML.

const sheets = new WeakMap();

export default function (component) {
  const { parentElement, data } = component;
  if (!sheets.has(parentElement)) sheets.set(parentElement, new Sheet(parentElement, data));
  const sheet = sheets.get(parentElement);
  const drawing = sheet.open((message) => component.setStateValue("entries", message));
  sheet.receive(data);
  return () => sheet.close(drawing);
}

function make(tag, className, words) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (words !== undefined) element.textContent = words;
  return element;
}

class Sheet {
  constructor(root, data) {
    this.outbox = new Outbox("entries", () => this.say());
    this.shelf = `interacteval.${data.sheet}`;
    this.text = null;
    this.current = null; // the place of the question on the screen; null once all are answered
    this.trail = []; // places answered in this text, newest last
    this.going = 0; // the number of the step that the server hasn't taken yet
    this.drawing = 0;
    this.typed = false;
    this.onKey = (event) => this.key(event);
    this.onLeave = () => this.outbox.send();
    this.build(root, data);
    this.restore();
  }

  // ---- life: the server may draw again at any time; only the newest drawing may take the listeners away

  open(tell) {
    this.outbox.tell = tell;
    document.addEventListener("keydown", this.onKey); // a listener that is there already isn't added again
    window.addEventListener("pagehide", this.onLeave);
    this.drawing += 1;
    return this.drawing;
  }

  close(drawing) {
    if (drawing !== this.drawing) return;
    document.removeEventListener("keydown", this.onKey);
    window.removeEventListener("pagehide", this.onLeave);
    clearTimeout(this.outbox.timer);
  }

  receive(data) {
    this.data = data;
    const over = this.outbox.confirm(data.page, data.confirmed);
    if (over.some((entry) => entry.number === this.going)) this.going = 0;
    if (over.length) this.keep();
    if (data.text !== this.text) {
      this.text = data.text;
      this.trail = [];
      this.list();
      this.current = this.unanswered(-1);
    }
    this.draw();
  }

  // ---- what was typed

  add(entry) {
    this.typed = true;
    this.outbox.add({ text: this.text, ...entry });
    this.keep();
  }

  // A reload must lose nothing either, nor a tab that is closed: its answers are sent when this sheet is opened again.
  keep() {
    try {
      const written = this.outbox.pending.filter((entry) => !entry.step).concat(this.halfNote());
      if (written.length) localStorage.setItem(this.shelf, JSON.stringify(written));
      else localStorage.removeItem(this.shelf);
    } catch {
      // a browser that keeps nothing for a page
    }
  }

  // The note that is being typed: it is sent once the field is left, and must not be lost before.
  halfNote() {
    const question = document.activeElement === this.note && this.data.questions.find((one) => one.id === this.noteOf);
    if (!question || this.note.value === this.state(question).note) return [];
    return [{ text: this.noteText, question: question.id, note: this.note.value }];
  }

  restore() {
    try {
      this.outbox.restore(JSON.parse(localStorage.getItem(this.shelf) || "[]"));
      this.typed = this.outbox.pending.length > 0;
    } catch {
      // as if there were nothing
    }
  }

  // What the person gave, else what is stored; and whether it still waits to be stored.
  state(question) {
    const found = { answer: question.answer, note: question.note, waits: false };
    for (const entry of this.outbox.pending) {
      if (entry.text !== this.text || entry.question !== question.id) continue;
      if (entry.answer !== undefined) found.answer = entry.answer;
      if (entry.note !== undefined) found.note = entry.note;
      found.waits = true;
    }
    return found;
  }

  // The next place after this one without an answer, from the top where there is none below; null where all have one.
  unanswered(place) {
    const count = this.data.questions.length;
    for (let step = 1; step <= count; step += 1) {
      const next = (place + step) % count;
      if (this.state(this.data.questions[next]).answer === null) return next;
    }
    return null;
  }

  // Whether a question takes this answer: "does not apply" is one only where the question allows it.
  takes(question, choice) {
    return Boolean(question) && (!choice.open || question.open);
  }

  answer(choice) {
    if (this.going || this.current === null || !this.takes(this.data.questions[this.current], choice)) return;
    const place = this.current;
    this.leaveNote();
    const hadFocus = this.choices.contains(document.activeElement);
    this.add({ question: this.data.questions[place].id, answer: choice.answer });
    this.trail.push(place);
    this.current = this.unanswered(place);
    this.draw();
    const focused = document.activeElement;
    if (hadFocus && (this.current === null || (focused && focused.closest("[hidden]")))) this.card.focus();
  }

  back() {
    if (this.going) return;
    const place = this.trail.length ? this.trail.pop() : (this.current ?? this.data.questions.length) - 1;
    if (place >= 0) this.go(place);
  }

  go(place) {
    if (this.going) return;
    this.leaveNote();
    this.current = place;
    this.draw();
  }

  step(by) {
    if (this.going || (by < 0 && this.data.first)) return;
    this.leaveNote();
    this.going = this.outbox.number + 1;
    this.add({ step: by });
    this.draw();
  }

  leaveNote() {
    if (document.activeElement === this.note) this.note.blur(); // which keeps it
  }

  noted() {
    const question = this.data.questions.find((one) => one.id === this.noteOf);
    if (!question || this.note.value === this.state(question).note) return;
    this.add({ question: question.id, note: this.note.value });
    this.draw();
  }

  key(event) {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    const target = event.composedPath()[0];
    if (target instanceof Element && target.closest("input, textarea, select, [contenteditable=true], [role=dialog]")) return;
    if (document.querySelector("[role=dialog]")) return;
    const pressed = event.key.toLowerCase();
    const choice = this.data.choices.find((one) => one.key.toLowerCase() === pressed);
    const onButton = target instanceof Element && target.closest("button, a, summary, [role=button]");
    let act;
    if (choice) act = () => this.answer(choice);
    else if (pressed === "backspace") act = () => this.back();
    else if (pressed === "arrowleft") act = () => this.step(-1);
    else if (pressed === "enter" && !onButton) act = () => this.step(1);
    if (!act) return;
    event.preventDefault();
    if (!event.repeat) act(); // a key held down is one answer
  }

  // ---- what is shown

  build(root, data) {
    this.place = make("p", "quiet");
    this.question = make("p", "question");
    this.guidance = make("p", "quiet");
    this.guidance.dir = "auto";
    this.choices = make("div", "row");
    this.buttons = data.choices.map((choice) => {
      const name = choice.answer.replaceAll(" ", "_");
      const button = this.button(this.choices, name, choice.label, choice.key, () => this.answer(choice));
      // The focus stays where it was, so that Enter goes on to the next text and doesn't answer once more.
      button.addEventListener("mousedown", (event) => event.preventDefault());
      button.addEventListener("keydown", (event) => event.repeat && event.preventDefault());
      return button;
    });
    this.note = make("input");
    this.note.type = "text";
    this.note.maxLength = 10000;
    this.note.placeholder = "optional: what made it hard to answer";
    this.note.addEventListener("input", () => this.keep());
    this.note.addEventListener("change", () => this.noted());
    this.note.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === "Escape") this.note.blur();
    });
    this.noteField = make("label", "", "Note");
    this.noteField.append(this.note);
    const moves = make("div", "row");
    this.undo = this.button(moves, "back", "Back", "⌫", () => this.back());
    this.previous = this.button(moves, "previous", "Previous text", "←", () => this.step(-1));
    this.next = this.button(moves, "next", "Next text", "Enter", () => this.step(1));
    this.status = make("p", "quiet");
    this.status.setAttribute("role", "status");
    this.card = make("section", "card st-key-answer_current");
    this.card.tabIndex = -1;
    this.card.append(this.place, this.question, this.guidance, this.choices, this.noteField, moves, this.status);
    this.items = make("ol", "st-key-answer_questions");
    const hint = make("p", "quiet keys", "The letters are keys; Backspace goes back one question, as Back does. Each answer is saved at once.");
    const sheet = make("div", "answer-sheet");
    sheet.append(this.card, hint, this.items);
    root.append(sheet);
  }

  button(parent, name, label, key, act) {
    const button = make("button", "", label);
    button.type = "button";
    const hint = make("kbd", "", key);
    hint.setAttribute("aria-hidden", "true");
    button.append(hint);
    button.setAttribute("aria-label", label);
    button.setAttribute("aria-keyshortcuts", { "←": "ArrowLeft", "⌫": "Backspace" }[key] ?? key);
    button.addEventListener("click", act);
    const place = make("span", `st-key-answer_${name}`);
    place.append(button);
    parent.append(place);
    return button;
  }

  list() {
    this.rows = this.data.questions.map((question, place) => {
      const item = make("li", `st-key-answer_to_${place}`);
      const button = make("button");
      button.type = "button";
      const said = make("span", "said");
      const saving = make("span", "saving");
      button.append(make("bdi", "", `${place + 1}. ${question.text}`), said, saving);
      button.addEventListener("click", () => this.go(place));
      item.append(button);
      return { item, button, said, saving };
    });
    this.items.replaceChildren(...this.rows.map((row) => row.item));
  }

  draw() {
    const { questions, choices, first, last } = this.data;
    const question = this.current === null ? null : questions[this.current];
    const count = questions.length;
    this.card.setAttribute("aria-label", question ? `Question ${this.current + 1} of ${count}` : "Nothing left to answer");
    this.place.textContent = question
      ? [`Question ${this.current + 1} of ${count}`, question.component].filter(Boolean).join(" · ")
      : this.counted();
    this.question.textContent = question ? question.text : "";
    this.guidance.textContent = question ? question.guidance : "";
    for (const part of [this.question, this.choices, this.noteField]) part.hidden = !question;
    this.guidance.hidden = !question || !question.guidance;
    const given = question && this.state(question);
    this.buttons.forEach((button, n) => {
      const chosen = Boolean(given) && given.answer === choices[n].answer;
      button.parentElement.hidden = !this.takes(question, choices[n]);
      button.classList.toggle("given", chosen);
      button.setAttribute("aria-pressed", String(chosen));
      button.disabled = Boolean(this.going);
    });
    if (question && (this.noteOf !== question.id || this.noteText !== this.text || document.activeElement !== this.note)) {
      this.note.value = given.note;
      this.noteOf = question.id;
      this.noteText = this.text;
    }
    this.note.disabled = Boolean(this.going);
    this.undo.disabled = Boolean(this.going) || (!this.trail.length && this.current === 0);
    this.previous.disabled = first || Boolean(this.going);
    this.next.disabled = Boolean(this.going);
    this.next.firstChild.textContent = last ? "Finish" : "Next text";
    this.next.setAttribute("aria-label", last ? "Finish" : "Next text");
    this.next.classList.toggle("primary", this.unanswered(-1) === null);
    this.drawRows();
    this.say();
  }

  // How many questions have which kind of answer: one that was skipped isn't answered.
  counted() {
    const given = this.data.questions.map((question) => this.state(question).answer);
    const parts = this.data.choices.filter((one) => one.apart && given.includes(one.answer));
    const apart = parts.map((one) => `${given.filter((answer) => answer === one.answer).length} ${one.said}`);
    const answered = given.filter((answer) => !parts.some((one) => one.answer === answer)).length;
    if (!apart.length) return `All ${given.length} questions about this text are answered.`;
    return `Of ${given.length} questions about this text: ${[`${answered} answered`, ...apart].join(", ")}.`;
  }

  drawRows() {
    this.rows.forEach((row, place) => {
      const found = this.state(this.data.questions[place]);
      const choice = this.data.choices.find((one) => one.answer === found.answer);
      row.button.setAttribute("aria-current", String(place === this.current));
      row.said.textContent = (choice ? ` · ${choice.said}` : "") + (found.note ? " · note" : "");
      row.saving.textContent = found.waits ? " · saving" : "";
    });
  }

  say() {
    const waiting = this.outbox.pending.filter((entry) => !entry.step).length;
    const late = this.outbox.tries > 1;
    const what = `${waiting} ${waiting === 1 ? "entry" : "entries"}`;
    if (waiting) this.status.textContent = late ? `${what} not saved yet; sent again until they are` : `Saving ${what}`;
    else this.status.textContent = this.typed ? "All saved" : "";
  }
}
