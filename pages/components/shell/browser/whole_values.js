// A select box holds its value in one line. A value that is cut there stands in full below the box (`page_scripts.py`).
(() => {
  if (window.interactevalWholeValues) return;
  window.interactevalWholeValues = true;
  let asked = false;
  const look = () => {
    asked = false;
    for (const field of document.querySelectorAll("[data-testid='stSelectbox'] input[role='combobox']")) {
      const box = field.closest("[data-testid='stSelectbox']");
      const cut = field.scrollWidth > field.clientWidth + 1 ? field.value : "";
      if (cut !== (box.dataset.whole ?? "")) cut ? (box.dataset.whole = cut) : delete box.dataset.whole;
    }
  };
  const ask = () => {
    if (!asked) requestAnimationFrame(look);
    asked = true;
  };
  const attributeFilter = ["value"];
  new MutationObserver(ask).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter });
  window.addEventListener("resize", ask);
})();
