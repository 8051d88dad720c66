// On a phone the menu lies over the screen. Choosing a screen closes it, as it does in Streamlit's own navigation.
(() => {
  if (window.interactevalNarrowMenu) return;
  window.interactevalNarrowMenu = true;
  document.addEventListener("click", ({ target }) => {
    const chosen = target.closest?.("[data-testid='stSidebar'] a[data-testid^='stPageLink']");
    if (!chosen || !matchMedia("(max-width: 768px)").matches) return;
    document.querySelector("[data-testid='stSidebarCollapseButton'] button")?.click();
  });
})();
