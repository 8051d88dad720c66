"""The few rules of look that the theme can't say."""

import streamlit as st

_RULES = """
<style>
  .stMainBlockContainer { max-width: 1400px; padding: 2.5rem clamp(1rem, 3vw, 3rem) 5rem; }
  /* With the doors folded away Streamlit's own bar lies over the top of the screen. */
  .stApp:has([data-testid="stExpandSidebarButton"]) .stMainBlockContainer { padding-top: 4rem; }
  .stMainBlockContainer h1 { padding-bottom: 0.2rem; }
  .reading, .stMainBlockContainer .stMarkdown p, .stMainBlockContainer [data-testid="stText"] { max-width: 46rem; }
  /* White can't be read on the light blue of the dark theme. */
  [data-testid^="stBaseButton-primary"]:enabled, [data-tag] { color: light-dark(#ffffff, #12161c); }
  [data-testid="stCaptionContainer"] { color: light-dark(#5b6470, #9aa5b3); opacity: 1; }
  /* People's text takes its direction from its own first letter, paragraph by paragraph. */
  [data-testid="stText"], [data-testid="stText"] *, textarea, input, code, pre, [role="option"],
  .stMain .stMarkdown :is(p, li, h1, h2, h3), .stMain button p, [data-testid="stCaptionContainer"] p,
  [data-testid="stExpander"] p, [data-testid="stSelectbox"] [value] {
    unicode-bidi: plaintext; text-align: start; }
  .stMain button p { text-align: inherit; }
  /* All choices are in sight: where they don't fit beside each other, they wrap. */
  [data-testid="stButtonGroup"] > [role] { flex-wrap: wrap; overflow-x: visible; }
  /* Where there is little room, words wrap instead of ending in dots. */
  @media (max-width: 900px) {
    .stMain :is(button, a, [data-testid="stMetricLabel"]) p, [data-tag] > span { white-space: normal; }
    [data-tag] { height: auto; }
  }
  [data-testid="stFileUploaderDropzoneInstructions"] span { white-space: normal; }
  /* What a button is about, for those who hear the page (`button_label`); to the eye its row says it. */
  :is(button, a) .stMarkdownColoredBackground { position: absolute; width: 1px; height: 1px; overflow: hidden;
    clip-path: inset(50%); white-space: nowrap; }
  /* Rows made of columns (`tables/stacked.py`): names above them, or before each value where columns stack. */
  @media (min-width: 641px) {
    ROWS .stMarkdownColoredBackground:not(:is(button, a) *) { display: none; }
    ROWS [data-testid="stWidgetLabel"] { position: absolute; width: 1px; height: 1px; overflow: hidden;
      clip-path: inset(50%); white-space: nowrap; }
  }
  @media (max-width: 640px) {
    [data-testid="stLayoutWrapper"]:has(> [class*="st-key-column_names_"]) { display: none; }
    ROWS .stMarkdownColoredBackground:not(:is(button, a) *) { background: none !important; padding: 0; font-weight: 400;
      color: light-dark(#5b6470, #9aa5b3) !important; font-size: 0.875rem; }
  }
  /* The browser makes this file, and its cells may be read as formulas: our own downloads are safe. */
  [data-testid="stElementToolbarButton"]:has([aria-label="Download as CSV"]) { display: none; }
  /* On a phone: what is pressed is high enough for a thumb, and the page alone scrolls. */
  @media (max-width: 768px) {
    [data-testid^="stBaseButton"]:not([data-testid*="header"], [data-testid*="elementToolbar"]),
    [data-testid="stPopoverButton"], a[data-testid^="stPageLink"], [data-testid="stSidebar"] a, .stExpander summary,
    .react-aria-ComboBox > div, .stMultiSelect [data-baseweb="select"] > div, [data-testid="stTextInputRootElement"],
    [data-testid="stNumberInputContainer"], .stNumberInput button, .stButtonGroup button,
    button[data-testid^="stPagination"], .stMultiSelect [role="group"],
    :is(.stCheckbox, .stRadio) label { min-height: 44px; }
    [data-testid="stSidebar"] a { display: inline-flex; align-items: center; }
    [data-testid="stBaseButton-tertiary"] { min-width: 44px; }
    :is(.stCheckbox, .stRadio) label { align-items: center; }
    /* A picture whose labels don't fit into the width of a phone (`picture.py`). */
    [class*="st-key-wide_"] > [data-testid="stElementContainer"] { overflow-x: auto; }
    [class*="st-key-wide_"] > [data-testid="stElementContainer"] > * { min-width: 46rem; }
    .stMain :is([data-testid="stVerticalBlock"], [data-testid="stLayoutWrapper"], .stCode, .stCode pre) {
      height: auto !important; max-height: none !important; overflow: visible !important; }
  }
</style>
"""


_ROWS = "[data-testid='stVerticalBlock']:has(> [data-testid='stLayoutWrapper'] > [class*='st-key-column_names_'])"


def apply() -> None:
    # Dialogs and popovers lie outside what Streamlit tells its theme to, and light-dark() would take them for light.
    rules = _RULES.replace("ROWS", _ROWS)
    st.html(f"{rules}<style>body {{ color-scheme: {st.context.theme.type or 'light'}; }}</style>")
