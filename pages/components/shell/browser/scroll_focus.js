// A text in a box of its own is scrolled by the arrow keys once Tab has led there.
(() => {
  if (window.interactevalScrollFocus) return;
  window.interactevalScrollFocus = true;
  const boxes = "[data-testid='stVerticalBlock'][overflow='auto'], [data-testid='stCode'] pre, .stTable > div";
  let asked = false;
  const mark = () => {
    asked = false;
    for (const box of document.querySelectorAll(boxes)) {
      const scrolls = box.scrollHeight > box.clientHeight || box.scrollWidth > box.clientWidth;
      if (scrolls && !box.hasAttribute("tabindex")) box.tabIndex = 0;
    }
  };
  window.addEventListener("resize", () => requestAnimationFrame(mark));
  new MutationObserver(() => {
    if (!asked) requestAnimationFrame(mark);
    asked = true;
  }).observe(document.body, { childList: true, subtree: true });
})();
