// Drafts: what a person types into any text field is kept in this browser until the server has saved it or the person
// discards it. A draft survives a reload, Back, another tab, a lost connection and a restart of the server. It belongs to
// a person, a project and a field; the field's key names the object, such as a question. `kept_typing.py` says which
// fields are left out and which drafts are saved.
(() => {
  if (window.interactevalKeptTyping) return;
  window.interactevalKeptTyping = true;
  const NAME = "interacteval.typing";
  const LARGEST = 200000; // characters; a browser keeps some five million for a page
  const OLDEST_MS = 60 * 24 * 3600 * 1000;
  const SHOWN = 120; // characters of other words, in a note
  const TRIES = 5;
  const FRAMES = 30;
  const TAB = Math.random().toString(36).slice(2);
  const FIELDS = "[data-testid='stTextArea'] textarea, [data-testid='stTextInput'] input";
  const setArea = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set;
  const setInput = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
  const met = new WeakMap(); // field: its draft's address, what the server said, what it shows, the draft known here
  const untold = new Set(); // fields that words were put back into: the server doesn't know them yet
  const masked = new WeakSet(); // a password stays one while it is shown in plain
  const answered = new Map(); // session: the last of the server's messages about saved drafts that was read

  const shelf = (act) => {
    try {
      return act(localStorage);
    } catch {
      return null; // a browser that keeps nothing for a page
    }
  };
  const parsed = (words) => {
    try {
      return JSON.parse(words);
    } catch {
      return null;
    }
  };
  const read = (where) => shelf((kept) => parsed(kept.getItem(where)));
  const remove = (where) => shelf((kept) => kept.removeItem(where));
  const write = (where, draft) => {
    if (draft.words.length > LARGEST) return remove(where);
    return shelf((kept) => kept.setItem(where, JSON.stringify({ ...draft, tab: TAB, at: Date.now() })));
  };

  const told = () => document.querySelector(".interacteval-typing[data-left-out]")?.dataset;
  const owner = () => {
    const asked = new URLSearchParams(location.search);
    return [NAME, told().person, asked.get("expert") ?? "", asked.get("project") ?? ""].join("|");
  };
  // A key without a number names no object: such a field is about the dimension in the address.
  const addressOf = (key) => {
    const dimension = /\d/.test(key) ? "" : (new URLSearchParams(location.search).get("dimension") ?? "");
    return `${owner()}|${dimension}|${key}`;
  };
  const holderOf = (field) => {
    const widget = field.closest?.("[data-testid='stTextArea'], [data-testid='stTextInput']");
    return widget?.closest("[class*='st-key-']");
  };
  const keyOf = (field) => {
    const holder = holderOf(field);
    const name = holder && [...holder.classList].find((one) => one.startsWith("st-key-"));
    return name?.slice("st-key-".length);
  };
  const isKept = (field) => {
    if (field.type === "password") masked.add(field);
    const key = told() && !masked.has(field) && keyOf(field);
    const fits = (start) => (start.endsWith("_") ? key.startsWith(start) : key === start);
    return key && !JSON.parse(told().leftOut).some(fits);
  };
  const inForm = (field) => Boolean(field.closest("[data-testid='stForm']"));

  const put = (field, words) => {
    (field instanceof HTMLTextAreaElement ? setArea : setInput).call(field, words);
    putting = true;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    putting = false;
    untold.add(field);
    const one = met.get(field);
    if (one) one.shows = words;
  };
  let putting = false;

  // What is known of a field; a draft of it is put back when the field is seen first.
  const meet = (field) => {
    if (!isKept(field)) return null;
    const where = addressOf(keyOf(field));
    const known = met.get(field);
    if (known?.where === where) return known;
    const one = { where, before: field.value, shows: field.value, known: undefined, back: false, tries: 0 };
    met.set(field, one);
    putBack(field, one);
    return one;
  };

  const putBack = (field, one, frames = FRAMES) => {
    const draft = read(one.where);
    one.known = draft?.words;
    if (draft && draft.words === field.value) one.before = draft.before;
    else if (draft && draft.before === field.value) {
      one.back = true;
      one.before = draft.before;
      put(field, draft.words);
      whenDrawn(look); // the screen may still be drawn over them
    } else if (draft && frames) {
      // What the field says may come a moment after the field.
      requestAnimationFrame(() => met.get(field) === one && field.isConnected && putBack(field, one, frames - 1));
      return;
    }
    if (!draft || (draft.words !== field.value && !one.back)) one.before = field.value;
    one.shows = field.value;
    note(field);
  };

  const typed = ({ target: field }) => {
    const one = !putting && field.matches?.(FIELDS) && meet(field);
    if (!one) return;
    const draft = read(one.where);
    // Words of another tab, or words that were sent and aren't confirmed yet, stay beside the new ones.
    const other = draft && draft.words !== one.known && draft.words !== field.value ? draft.words : draft?.other;
    one.shows = one.known = field.value;
    untold.delete(field);
    one.back = one.back && field.value !== one.before;
    const blank = !field.value.trim() && !one.before.trim();
    if ((blank || field.value === one.before) && !other) remove(one.where);
    else write(one.where, { before: one.before, words: field.value, other });
    note(field);
  };

  // The app has emptied the field or set it anew since: its draft is no longer what the field shows.
  const beforeTyped = ({ target: field }) => {
    const one = field.matches?.(FIELDS) && met.get(field);
    if (one && field.value !== one.shows) one.known = undefined;
  };

  // A field is looked at before the first letter, however quick a person is.
  const reached = ({ target: field }) => {
    const one = field.matches?.(FIELDS) && meet(field);
    if (one && !read(one.where)) one.before = one.shows = field.value;
  };

  // Once the server is there and has nothing more to draw. It rests for a moment between a drawing and the one that it
  // asks for itself, so it is looked at twice.
  const whenDrawn = (act, wait = 200, before = false) => {
    setTimeout(() => {
      const { testConnectionState, testScriptState } = document.querySelector("[data-testid='stApp']")?.dataset ?? {};
      const drawn = testConnectionState === "CONNECTED" && testScriptState === "notRunning";
      if (drawn && before) act();
      else whenDrawn(act, 150, drawn);
    }, wait);
  };

  // The app changed what a field shows. Words that are not saved come back once all is drawn.
  const settle = (field) => {
    const one = field.isConnected && met.get(field);
    if (!one || one.where !== addressOf(keyOf(field))) return;
    const draft = read(one.where);
    one.shows = field.value;
    if (!draft) one.before = field.value;
    else if (draft.before === field.value && draft.words !== field.value && one.tries < TRIES) {
      one.tries += 1;
      one.back = true;
      one.before = draft.before;
      put(field, draft.words);
      whenDrawn(look); // the screen may still be drawn over them
    }
    note(field);
  };

  const heard = () => {
    for (const { dataset } of document.querySelectorAll(".interacteval-typing[data-saved]")) {
      const { session, saved } = JSON.parse(dataset.saved);
      for (const [number, key, words, keep] of saved) {
        if (number <= (answered.get(session) ?? 0)) continue;
        answered.set(session, number);
        if (keep) write(addressOf(key), { before: "", words });
        else for (const where of words === null ? [addressOf(key)] : addressesOf(key)) confirmed(where, words);
      }
    }
  };
  // Of this person under any name and project: both may have changed with what was saved.
  const addressesOf = (key) => {
    const mine = (where) => where.startsWith(`${NAME}|${told().person}|`) && where.endsWith(`|${key}`);
    return shelf((kept) => Object.keys(kept).filter(mine)) ?? [];
  };

  // `words` were saved; null: the person dropped the edit. What was typed since stays.
  const confirmed = (where, words) => {
    const draft = read(where);
    if (!draft) return;
    const { other, ...own } = draft;
    if (words === null || (draft.words === words && !other)) remove(where);
    else if (draft.words === words) write(where, { ...own, words: other });
    else if (other === words) write(where, own);
    else return;
    for (const field of document.querySelectorAll(FIELDS)) {
      const one = met.get(field);
      if (one?.where !== where) continue;
      one.back = false;
      one.known = read(where)?.words;
      if (!read(where)) {
        if (untold.has(field) && field.value === words && one.before !== words) put(field, one.before);
        one.before = one.shows = field.value;
      }
      note(field);
    }
  };

  const look = () => {
    if (!told()) return;
    heard();
    for (const field of document.querySelectorAll(FIELDS)) {
      if (field.disabled) continue;
      const one = meet(field);
      if (!one || field.value === one.shows) continue;
      if (!read(one.where)) settle(field);
      else if (!settling.has(field)) {
        settling.add(field);
        whenDrawn(() => (settling.delete(field), settle(field)), 400);
      }
    }
    reportSoon();
  };
  const settling = new Set(); // fields that are looked at again once all is drawn

  // Below a field: that it shows a draft, or that there is one with other words.
  const note = (field) => {
    const one = met.get(field);
    const holder = holderOf(field);
    const draft = read(one.where);
    const there = holder.querySelector(":scope > .kept-typing-note");
    const other = draft && (draft.words !== field.value ? draft.words : draft.other);
    if (!draft || !(one.back || other)) {
      there?.remove();
      return;
    }
    const words = document.createElement("span");
    words.textContent = other ? `Not saved yet, typed elsewhere: “${excerpt(other, field.value)}”` : "Not saved yet";
    const buttons = [made("Discard", () => discard(field, one, other))];
    if (other) buttons.unshift(made("Use", () => use(field, one, other)));
    const drawn = there ?? document.createElement("div");
    drawn.className = "kept-typing-note";
    drawn.setAttribute("role", "status");
    drawn.replaceChildren(words, ...buttons);
    if (!there) holder.append(drawn);
  };
  // Of long words, those from where they differ on.
  const excerpt = (words, shown) => {
    let same = 0;
    while (same < words.length && words[same] === shown[same]) same += 1;
    const from = words.length > SHOWN ? Math.max(0, Math.min(same, words.length) - SHOWN / 4) : 0;
    return `${from ? "… " : ""}${words.slice(from, from + SHOWN)}${from + SHOWN < words.length ? " …" : ""}`;
  };
  const made = (label, act) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.addEventListener("click", act);
    return button;
  };
  const use = (field, one, other) => {
    const mine = field.value !== one.before && field.value !== other ? field.value : undefined;
    write(one.where, { before: one.before, words: other, other: mine });
    one.known = other;
    one.back = true;
    put(field, other);
    tell();
    note(field);
  };
  const discard = (field, one, other) => {
    const draft = read(one.where);
    if (other && draft?.words === field.value) write(one.where, { before: draft.before, words: draft.words });
    else {
      remove(one.where);
      if (!other) put(field, one.before);
      one.back = false;
      tell();
    }
    one.known = read(one.where)?.words;
    note(field);
    report();
  };

  // The drafts of this person on this screen whose keys begin so.
  const draftsOf = (prefixes) => {
    const start = `${owner()}|`;
    const keys = shelf((kept) => Object.keys(kept).filter((key) => key.startsWith(start)).sort()) ?? [];
    return keys
      .map((where) => [where.split("|").pop(), where])
      .filter(([key, where]) => prefixes.some((prefix) => key.startsWith(prefix)) && where === addressOf(key))
      .map(([key, where]) => [key, read(where)]);
  };

  // To the screens that ask for it: the drafts that no field outside a form holds, for the server knows those.
  const report = () => {
    const box = document.querySelector(".st-key-typing_known input");
    if (!box || !told()) return;
    const found = {};
    for (const [key, draft] of draftsOf(box.getAttribute("aria-label").split(" "))) {
      const field = document.querySelector(`.st-key-${CSS.escape(key)} :is(textarea, input)`);
      const known = field && !inForm(field) && !untold.has(field) && field.value === draft?.words;
      if (draft && !known) found[key] = draft.words;
    }
    const said = Object.keys(found).length ? JSON.stringify(found) : "";
    if (said === box.value) return;
    setInput.call(box, said);
    box.dispatchEvent(new Event("input", { bubbles: true }));
    queueMicrotask(() => box.dispatchEvent(new FocusEvent("focusout", { bubbles: true })));
  };

  let reporting = false; // one timer, however often the screen changes meanwhile
  const reportSoon = () => {
    if (reporting) return;
    reporting = true;
    whenDrawn(() => ((reporting = false), report()));
  };

  // A field says what it holds when it is left. Pressing a button without having been in the field means it all the same.
  const tell = () => {
    const here = document.activeElement;
    for (const field of [...untold]) {
      untold.delete(field);
      if (!field.isConnected || field === here) continue;
      field.focus({ preventScroll: true });
      field.blur();
    }
    if (here instanceof HTMLElement) here.focus({ preventScroll: true });
  };
  const left = ({ target: field }) => {
    if (field.matches?.(FIELDS) && inForm(field)) report();
  };

  // One thought is one line: Enter sends it, as in a chat; Shift and Enter begin a new line.
  const entered = (event) => {
    const field = event.target instanceof HTMLTextAreaElement && event.target;
    const line = field && field.closest(":is(.st-key-say, .st-key-own_editor) [data-testid='stForm']");
    if (!line || event.key !== "Enter" || event.shiftKey || event.ctrlKey || event.metaKey || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    line.querySelector("[data-testid='stFormSubmitButton'] button")?.click();
  };

  const changedElsewhere = ({ key, storageArea }) => {
    if (storageArea !== localStorage) return;
    for (const field of document.querySelectorAll(FIELDS)) if (!key || met.get(field)?.where === key) note(field);
    reportSoon();
  };
  const forgetOld = () => {
    for (const key of shelf((kept) => Object.keys(kept)) ?? []) {
      if (key.startsWith(`${NAME}|`) && !(read(key)?.at > Date.now() - OLDEST_MS)) remove(key);
    }
  };

  document.addEventListener("focusin", reached, { capture: true });
  document.addEventListener("focusout", left, { capture: true });
  document.addEventListener("keydown", entered, { capture: true });
  document.addEventListener("beforeinput", beforeTyped, { capture: true });
  document.addEventListener("input", typed, { capture: true });
  window.addEventListener("storage", changedElsewhere);
  for (const act of ["pointerdown", "keydown"]) {
    document.addEventListener(act, () => untold.size && tell(), { capture: true });
  }
  let waits = false;
  new MutationObserver(() => {
    if (!waits) requestAnimationFrame(() => ((waits = false), look()));
    waits = true;
  }).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled"] });
  forgetOld();
  look();

  // For components whose fields are opened as they are needed: key -> words.
  window.interactevalDrafts = (prefix) =>
    told() ? Object.fromEntries(draftsOf([prefix]).flatMap(([key, draft]) => (draft ? [[key, draft.words]] : []))) : {};
  document.dispatchEvent(new Event("interacteval:drafts"));
})();
