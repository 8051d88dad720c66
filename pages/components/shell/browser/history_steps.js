// One entry in the browser's history for each screen: a change of the query belongs to the screen it happens on, and
// what changes on the way out belongs to the next one. The last screen's entry keeps the address the person saw.
(() => {
  if (window.interactevalHistorySteps) return;
  window.interactevalHistorySteps = true;
  const push = history.pushState.bind(history);
  const replace = history.replaceState.bind(history);
  let acted = false; // since this screen was entered: nobody asked for what changes before, as from an old address
  let stood = location.href; // where the person was when they last acted
  const note = () => {
    acted = true;
    stood = location.href;
  };
  for (const act of ["pointerdown", "keydown"]) window.addEventListener(act, note, { capture: true });
  window.addEventListener("popstate", () => (acted = false), { capture: true });
  history.pushState = (state, unused, url) => {
    const there = new URL(url ?? location.href, location.href);
    if (there.pathname === location.pathname || !acted) return replace(state, unused, url);
    if (new URL(stood).pathname === location.pathname) replace(history.state, unused, stood);
    acted = false;
    return push(state, unused, url);
  };
})();
