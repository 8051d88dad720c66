// The keyboard stays where it was when the server draws the screen anew. A button that has moved is another element to
// the browser, which then forgets the focus: it goes to the button of the same key, beside it where that can't be
// pressed any more, and to the one that has taken its place in the list where its row is gone.
(() => {
  if (window.interactevalKeptFocus) return;
  window.interactevalKeptFocus = true;
  const CAN = "button:enabled, input[type=checkbox]:enabled";
  const WIDGETS = "[data-testid='stButton'], [data-testid='stFormSubmitButton'], [data-testid='stCheckbox']";
  let byKeyboard = true;
  let last = null; // { key, like, place }: the button where the keyboard is, and how many like it stand before it

  const keyOf = (element) => {
    const holder = element.closest("[data-testid='stMain'] [class*='st-key-']");
    return holder && [...holder.classList].find((name) => name.startsWith("st-key-"));
  };
  const alike = (like) => [...document.querySelectorAll(`[class*='${like}']`)].filter((one) => one.querySelector(CAN));
  const found = (settled) => {
    const same = document.getElementsByClassName(last.key)[0];
    if (same) {
      const row = same.closest("[data-testid='stHorizontalBlock']");
      return same.querySelector(CAN) ?? (settled && row ? row.querySelector(CAN) : null);
    }
    const others = settled && last.like ? alike(last.like) : [];
    return others.length ? others[Math.min(last.place, others.length - 1)].querySelector(CAN) : null;
  };
  const look = () => {
    if (!last || document.activeElement !== document.body) return;
    const settled = document.querySelector("[data-testid='stApp']")?.dataset.testScriptState === "notRunning";
    const there = found(settled);
    there?.focus({ preventScroll: true });
    there?.scrollIntoView({ block: "nearest" });
  };

  const note = (target) => {
    const ours = target.matches(CAN) && target.closest(WIDGETS); // our own components see to themselves
    const key = ours ? keyOf(target) : null;
    const like = key && /^(.*_)\d+$/.exec(key)?.[1];
    last = key && { key, like, place: like ? alike(like).findIndex((one) => one.contains(target)) : 0 };
  };

  document.addEventListener("focusin", ({ target }) => byKeyboard && note(target));
  // Who clicks with the mouse sees where they are; a space afterwards must not press what took the place of what went.
  const hold = (keyboard) => () => {
    byKeyboard = keyboard;
    if (keyboard) note(document.activeElement);
    else last = null;
  };
  document.addEventListener("pointerdown", hold(false), { capture: true });
  document.addEventListener("keydown", hold(true), { capture: true });
  let waits = false;
  const redrawn = new MutationObserver(() => {
    if (!waits) requestAnimationFrame(() => ((waits = false), look()));
    waits = true;
  });
  const attributeFilter = ["disabled", "data-test-script-state"];
  redrawn.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter });
})();
