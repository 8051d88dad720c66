// What somebody is typing into a text area outlives a reload, a look at another screen and a lost connection. It is kept
// with the tab until it is sent, cancelled or undone, and put back into the field if that still says what it said then.
(() => {
  if (window.interactevalKeptTyping) return;
  window.interactevalKeptTyping = true;
  const LARGEST = 200000; // characters; a browser keeps some five million for a page
  const PARTS = ["project", "dimension", "expert"]; // of the address: whose words they are, and about what
  const setValue = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set;
  const drawn = new WeakMap(); // field: what it said when it was drawn
  const typed = new Map(); // field: what was typed, and where that is kept
  const untold = new Set(); // fields that words were put back into: the server doesn't know them yet
  const sent = new Set(); // where words are kept that went to the server with their form
  let pressed = false; // whether a button was clicked last, and no link

  const shelf = (act) => {
    try {
      return act(sessionStorage);
    } catch {
      return null; // a browser that keeps nothing for a page
    }
  };
  const screen = () => {
    const asked = new URLSearchParams(location.search);
    return ["interacteval.typing", location.pathname, ...PARTS.map((part) => asked.get(part) ?? "")].join("|");
  };
  const place = (field) => {
    const holder = field.closest("[data-testid='stTextArea']")?.closest("[class*='st-key-']");
    const key = holder && [...holder.classList].find((name) => name.startsWith("st-key-"));
    return key ? `${screen()}|${key}` : null;
  };
  const drawnFields = () => document.querySelectorAll("[data-testid='stTextArea'] textarea:enabled");
  const forget = (field, where) => {
    shelf((kept) => kept.removeItem(where));
    typed.delete(field);
    untold.delete(field);
  };

  const noted = ({ target: field }) => {
    const where = field instanceof HTMLTextAreaElement && place(field);
    if (!where) return;
    const before = drawn.get(field) ?? "";
    typed.set(field, { words: field.value, where, screen: screen() });
    if (field.value === before || field.value.length > LARGEST) shelf((kept) => kept.removeItem(where));
    else shelf((kept) => kept.setItem(where, JSON.stringify({ before, words: field.value })));
  };

  const putBack = (field) => {
    drawn.set(field, field.value);
    const where = place(field);
    const found = where && !sent.has(where) && shelf((kept) => JSON.parse(kept.getItem(where)));
    if (!found) return;
    if (found.words === field.value) forget(field, where);
    else if (found.before === field.value) {
      setValue.call(field, found.words);
      field.dispatchEvent(new Event("input", { bubbles: true }));
      untold.add(field);
      whenDrawn(look); // the screen may still be drawn over them
    }
  };

  // Once the server is there and has nothing more to draw.
  const whenDrawn = (act, wait = 200) => {
    setTimeout(() => {
      const { testConnectionState, testScriptState } = document.querySelector("[data-testid='stApp']")?.dataset ?? {};
      if (testConnectionState === "CONNECTED" && testScriptState === "notRunning") act();
      else whenDrawn(act);
    }, wait);
  };

  const tries = new WeakMap();
  const again = (field) => {
    tries.set(field, (tries.get(field) ?? 0) + 1);
    return tries.get(field) <= 5;
  };

  const look = () => {
    for (const [field, { words, where, screen: written }] of typed) {
      if (field.isConnected && field.value === words) continue;
      if (field.isConnected && untold.has(field) && field.value === drawn.get(field) && again(field)) {
        putBack(field); // drawn over words that nobody has touched since they came back
        continue;
      }
      if (field.isConnected) {
        forget(field, where); // emptied or set anew by the app
        drawn.set(field, field.value);
        continue;
      }
      typed.delete(field);
      // A button of this screen has closed it, unless it is there again; on the way to another screen it stays.
      const closed = () => written === screen() && ![...drawnFields()].some((other) => place(other) === where);
      if (pressed) whenDrawn(() => closed() && forget(field, where));
    }
    for (const field of drawnFields()) if (!drawn.has(field)) putBack(field);
  };

  // Words that go with their form are done with once the server has answered; those typed meanwhile aren't.
  const clicked = ({ target }) => {
    pressed = target instanceof Element && Boolean(target.closest("[data-testid='stMain'] button"));
    const button = target instanceof Element && target.closest("[data-testid='stFormSubmitButton']");
    const form = button && button.closest("[data-testid='stForm']");
    for (const [field, { words, where }] of form ? typed : []) {
      if (!form.contains(field)) continue;
      sent.add(where);
      whenDrawn(() => {
        sent.delete(where);
        const now = shelf((kept) => JSON.parse(kept.getItem(where)));
        if (now?.words === words) forget(field, where);
      }, 600);
    }
  };

  // A field says what it holds when it is left. Whoever presses a button without having been in it means it all the same.
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

  // One thought is one line: Enter sends it, as in a chat; Shift and Enter begin a new line.
  const entered = (event) => {
    const field = event.target instanceof HTMLTextAreaElement && event.target;
    const line = field && field.closest(":is(.st-key-say, .st-key-own_editor) [data-testid='stForm']");
    if (!line || event.key !== "Enter" || event.shiftKey || event.ctrlKey || event.metaKey || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    line.querySelector("[data-testid='stFormSubmitButton'] button")?.click();
  };

  // Whoever is quick types before the screen was looked at: what the field said is known once it is entered.
  const reached = ({ target: field }) => {
    if (field instanceof HTMLTextAreaElement && !drawn.has(field)) putBack(field);
  };

  document.addEventListener("focusin", reached, { capture: true });
  document.addEventListener("keydown", entered, { capture: true });
  document.addEventListener("input", noted, { capture: true });
  document.addEventListener("click", clicked, { capture: true });
  for (const act of ["pointerdown", "keydown"]) {
    document.addEventListener(act, () => untold.size && tell(), { capture: true });
  }
  let waits = false;
  new MutationObserver(() => {
    if (!waits) requestAnimationFrame(() => ((waits = false), look()));
    waits = true;
  }).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled"] });
  look();
})();
