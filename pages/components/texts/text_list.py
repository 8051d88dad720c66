"""Texts of a project: a searchable list beside the open text, and the form of the task."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from app.domain.attribute import Sample
from app.domain.project import Dimension, Project, Text, text_title
from app.errors import InputError, NotFoundError, WorkbenchError
from app.services.data.projects import (
    add_dimension,
    delete_unused_dimension,
    dimensions_named,
    overview,
    save_dimension,
    save_task,
)
from app.services.data.texts import PAGE_SIZE, RatedText, TextPage, rated_text, text_page
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.samples import (
    MOST_SAMPLES,
    SampleOption,
    ensure_samples,
    rechoose_samples,
    replace_sample,
    sample_exclusion_counts,
    sample_options,
)
from pages.components.shell.browser.page_scripts import dropped_typing, page_script, run_in_page, saved_typing
from pages.components.shell.current import choose, current_dimension, keep, prepare_number, prepare_words, was_pressed
from pages.components.shell.frame import scrolling_column
from pages.components.shell.labels import ShownErrors, button_label, number, plain, show_error
from pages.components.shell.reading import left_out, part_with_places, readable_text, samples_side_by_side, score_words
from pages.components.shell.tables import show_table

_SAVED = "task_saved"
_ABOUT = "A sentence or two for people and models who have not seen these texts before."
_LANGUAGE = "Of the texts. Models write attributes and questions in it."
# The widget of each, its label, an example and a word on it.
_FIELDS: dict[str, tuple[Callable[..., str], str, str | None, str | None]] = {
    "text_name": (st.text_input, "A text is called", "summary", None),
    "source_name": (st.text_input, "Its source is called", "article", None),
    "writer_name": (st.text_input, "Its writer is called", "agent, student, system", None),
    "description": (st.text_area, "About the texts", None, _ABOUT),
    "language": (st.text_input, "Language", None, _LANGUAGE),
}


def task_form(workbench: Workbench, project: Project) -> None:
    task = project.task
    if st.session_state.pop(_SAVED, False):
        st.success("Saved.", icon=":material/check_circle:")
    with st.form("task_form", border=False):
        typed = {
            field: draw(
                label, getattr(task, field), key=f"task_{field}_{project.id}", placeholder=example, help=about
            ).strip()
            for field, (draw, label, example, about) in _FIELDS.items()
        }
        edited = replace(task, **typed)
        save = was_pressed("Save the wording", "save_task", form=True)
    if save:
        with ShownErrors():
            save_task(workbench, project.id, edited)
            saved_typing(*(f"task_{field}_{project.id}" for field in _FIELDS))
            st.session_state[_SAVED] = True
            st.rerun()


RUBRIC_HELP = "What the dimension means and what low and high scores stand for. People and models read exactly this."
_DIMENSION_SAVED = "dimension_saved"


def dimension_form(workbench: Workbench, project: Project, dimension: Dimension, expanded: bool, used: bool) -> None:
    """Draw the form, folded unless expanded; Save stores all four values at once. An unused dimension can be
    deleted."""
    title = f"{plain(dimension.name)}: {dimension.low:g} to {dimension.high:g}".replace(".", "\\.")
    with st.expander(title, expanded=expanded, key=f"dimension_{dimension.id}"):
        if st.session_state.get(_DIMENSION_SAVED) == dimension.id:
            del st.session_state[_DIMENSION_SAVED]
            st.success("Saved.", icon=":material/check_circle:")
        with st.form(f"dimension_form_{dimension.id}", border=False):
            edited = _fields(dimension, str(dimension.id))
            save = was_pressed(button_label("Save", dimension.name), f"save_dimension_{dimension.id}", form=True)
        if save:
            with ShownErrors():
                save_dimension(workbench, edited)
                saved_typing(f"dimension_name_{dimension.id}", f"dimension_rubric_{dimension.id}")
                st.session_state[_DIMENSION_SAVED] = dimension.id
                choose(project.name, edited.name.strip())
                st.rerun()
        if not used:
            _delete(workbench, dimension)


def _delete(workbench: Workbench, dimension: Dimension) -> None:
    key = f"delete_dimension_{dimension.id}"
    with st.popover(button_label("Delete", dimension.name), type="tertiary", key=f"{key}_ask"):
        st.markdown("Nobody has rated, said or scored anything on it. Its rubric goes with it.")
        with ShownErrors():
            if was_pressed(button_label("Delete it", dimension.name), key):
                delete_unused_dimension(workbench, dimension.id)
                dropped_typing(f"dimension_name_{dimension.id}", f"dimension_rubric_{dimension.id}")
                st.rerun()


def add_dimension_form(workbench: Workbench, project: Project, expanded: bool) -> None:
    with st.expander("Add a dimension", expanded=expanded, key="add_dimension"):
        with st.form("add_dimension_form", border=False):
            rated = any(each.ratings for each in overview(workbench, project.id).dimensions)
            new = _fields(Dimension("") if rated else Dimension("", low=0.0, high=1.0), "new")
            st.caption("From 0 to 1, experts say *good* or *not good* of a text. Any other range is a scale.")
            add = was_pressed("Add the dimension", "save_new_dimension", form=True)
        if add:
            with ShownErrors():
                added = add_dimension(workbench, project.id, new)
                st.session_state[_DIMENSION_SAVED] = added.id
                choose(project.name, added.name)
                saved_typing("dimension_name_new", "dimension_rubric_new")
                for field in ("name", "rubric", "low", "high"):
                    del st.session_state[f"dimension_{field}_new"]
                st.rerun()


def _fields(dimension: Dimension, key: str) -> Dimension:
    name, low, high = st.columns([4, 1, 1])
    return replace(
        dimension,
        name=name.text_input("Name", dimension.name, key=f"dimension_name_{key}", placeholder="for example coherence"),
        low=low.number_input("Lowest", value=dimension.low, format="%g", step=1.0, key=f"dimension_low_{key}"),
        high=high.number_input("Highest", value=dimension.high, format="%g", step=1.0, key=f"dimension_high_{key}"),
        rubric=st.text_area(
            "Rubric", dimension.rubric, height=170, key=f"dimension_rubric_{key}", help=RUBRIC_HELP
        ).strip(),
    )


def text_view(project: Project, found: RatedText) -> None:
    """Draw the text in full; its source scrolls in its own container below."""
    text = found.text
    st.subheader(plain(text_title(text)), anchor=False)
    st.caption(" · ".join(plain(part) for part in text.key if part))
    st.caption(plain(project.task.text_name))
    with st.container(key="open_text_body"):
        part_with_places(text, "text", "open_text")
    _ratings(found)
    if text.references:
        with st.expander(number(len(text.references), "reference"), key="references"):
            for reference in text.references:
                st.text(reference)
    st.caption(plain(project.task.source_name))
    if text.source:
        readable_text(text, "source", "open_source")
    else:
        st.text("none given")


def _ratings(found: RatedText) -> None:
    if not found.ratings:
        st.caption("Nobody has rated this text.")
        return
    frame = pd.DataFrame(found.ratings, columns=["Dimension", "Rater", "Rating"])
    order = list(dict.fromkeys(frame["Dimension"]))
    table = frame.pivot_table(index="Dimension", columns="Rater", values="Rating", sort=False).reindex(order)
    table.insert(0, "mean", table.mean(axis=1))
    st.caption("Human ratings")
    show_table(
        table.reset_index(), "text_ratings", {"mean": st.column_config.NumberColumn(format="%.2f")}, width="content"
    )


_CHOSEN = "text_was_chosen"
_SHOW = page_script("""(() => {
  const text = document.querySelector("[data-chosen-text]");
  const { top } = text.getBoundingClientRect();
  if (top < 0 || top > innerHeight / 2) text.scrollIntoView({ block: "start" });
})();""")
OPEN_TEXT, SEARCH, PAGE = "open_text", "text_search", "text_page"
_OF = "texts_of_project"
LIST = "text_names"
_LOOK = f"""<style>
  .st-key-{LIST} button {{ justify-content: flex-start; text-align: start; overflow-wrap: anywhere; }}
  .st-key-{LIST} button div {{ width: 100%; justify-content: flex-start; text-align: start; }}
  .st-key-{LIST} button p {{ unicode-bidi: plaintext; display: -webkit-box; -webkit-box-orient: vertical;
    -webkit-line-clamp: 3; overflow: hidden; }}
</style>"""


def texts_to_read(workbench: Workbench, project: Project) -> None:
    """Draw twenty names at a time; search, page and the open text stay in the address."""
    if st.session_state.setdefault(_OF, project.id) != project.id:  # another project was chosen meanwhile
        _from_the_top()
        st.session_state[SEARCH], st.session_state[_OF] = "", project.id
    prepare_words(SEARCH)
    search = st.text_input(
        "Search",
        placeholder=f"words, {project.task.source_name} or {project.task.writer_name}",
        key=SEARCH,
        icon=":material/search:",
        width=420,
        on_change=_from_the_top,
    )
    keep(SEARCH, search, "")
    try:
        page, number = _page(workbench, project, search)
    except InputError as error:
        show_error(error)
        return
    if not page.texts:
        st.markdown("No text fits the search. Try fewer or other words.")
        return
    wanted = st.session_state.get(OPEN_TEXT) or st.query_params.get(OPEN_TEXT, "")
    try:
        found = rated_text(workbench, project.id, int(wanted))
    except (NotFoundError, ValueError):  # it was deleted meanwhile, or an address was typed
        found = rated_text(workbench, project.id, page.texts[0].id)
    st.session_state[OPEN_TEXT] = found.text.id
    keep(OPEN_TEXT, str(found.text.id), str(page.texts[0].id))
    names, reading = st.columns([2, 5], gap="large")
    with names, scrolling_column("text_list"):
        _names(page, number, found.text)
    with reading:
        if st.session_state.pop(_CHOSEN, False):  # on a phone the text stands below the whole list
            run_in_page(_SHOW, f'<i data-chosen-text="{int(found.text.id)}" style="scroll-margin-top: 4rem"></i>')
        _steps(workbench, project, page, number, search, found.text)
        text_view(project, found)
    _ratings_of_all(workbench, project, page)


def _page(workbench: Workbench, project: Project, search: str) -> tuple[TextPage, int]:
    first = text_page(workbench, project.id, 1, search)
    prepare_number(PAGE, 1, 1, first.pages)
    number = st.session_state[PAGE] = min(st.session_state[PAGE], first.pages)
    keep(PAGE, str(number), "1")
    return (first if number == 1 else text_page(workbench, project.id, number, search)), number


def _names(page: TextPage, number: int, opened: Text) -> None:
    first = (number - 1) * PAGE_SIZE + 1
    st.caption(f"{first:,} to {first + len(page.texts) - 1:,} of {page.found:,} texts")
    st.html(_LOOK)
    with st.container(key=LIST, gap="xxsmall"):
        for text in page.texts:
            st.button(
                plain(text_title(text)),
                key=f"read_text_{text.id}",
                type="secondary" if text.id == opened.id else "tertiary",
                width="stretch",
                on_click=_open,
                args=[text.id],
            )
    if page.pages > 1:
        st.pagination(page.pages, key=PAGE, max_visible_pages=5, on_change=_first_of_page)


def _steps(workbench: Workbench, project: Project, page: TextPage, number: int, search: str, opened: Text) -> None:
    """Draw the steps to the previous and the next text, across pages."""
    ids = [text.id for text in page.texts]
    if opened.id not in ids:
        return
    place = ids.index(opened.id)

    def go(by: int) -> None:
        if 0 <= place + by < len(ids):
            _open(ids[place + by])
        else:
            there = text_page(workbench, project.id, number + by, search).texts
            st.session_state[PAGE] = number + by
            _open(there[0 if by > 0 else -1].id)

    with st.container(horizontal=True):
        at_start, at_end = place == 0 and number == 1, place == len(ids) - 1 and number == page.pages
        st.button("Previous text", key="previous_text", disabled=at_start, on_click=go, args=[-1])
        st.button("Next text", key="next_text", disabled=at_end, on_click=go, args=[1])


def _ratings_of_all(workbench: Workbench, project: Project, page: TextPage) -> None:
    names = {dimension for _, dimension in page.means}
    rated = [d.name for d in dimensions_named(workbench, project.name, "all") if d.name in names]
    if not rated:
        return
    unfolded = st.expander("Mean ratings of the texts in this list", key="mean_ratings", on_change="rerun")
    if unfolded.open:
        columns: dict[str, list[object]] = {"Text": [text_title(text) for text in page.texts]}
        columns |= {name: [page.means.get((text.id, name)) for text in page.texts] for name in rated}
        unfolded.dataframe(
            pd.DataFrame(columns),
            placeholder="–",
            hide_index=True,
            height="content",
            key="mean_ratings_table",
            column_config={name: st.column_config.NumberColumn(format="%.2f") for name in rated},
        )


def _open(text_id: int) -> None:
    st.session_state[OPEN_TEXT], st.session_state[_CHOSEN] = text_id, True


def _first_of_page() -> None:
    st.session_state.pop(OPEN_TEXT, None)
    st.query_params.pop(OPEN_TEXT, None)


def _from_the_top() -> None:
    _first_of_page()
    st.session_state[PAGE] = 1


def sample_change(workbench: Workbench, project: Project) -> None:
    """Change the samples of the chosen dimension; each change is saved at once, for people and LLMs."""
    dimension = current_dimension(workbench, project)
    if dimension is None:
        st.markdown("**There is no dimension yet.** Add one under Dimensions and wording.")
        return
    try:
        samples = ensure_samples(workbench, dimension.id)
    except WorkbenchError as error:
        st.markdown(plain(str(error)))
        return
    st.subheader(f"Samples of {plain(dimension.name)}", anchor=False)
    st.caption("People and LLMs read them before they say what to look for. Change them before anybody has begun.")
    left_out(project.task, samples, sample_exclusion_counts(workbench, project.id, dimension.id))
    _replacement(workbench, project, dimension, samples)
    samples_side_by_side(project.task, dimension, samples)


def _replacement(workbench: Workbench, project: Project, dimension: Dimension, samples: Sequence[Sample]) -> None:
    with st.container(border=True):
        rated = any(sample.score is not None for sample in samples)
        which, near, words = st.columns([2, 1, 3])
        position = which.selectbox(
            "Replace",
            [sample.position for sample in samples],
            format_func=lambda p: _named(p, samples),
            key=f"replace_position_{dimension.id}",
        )
        current = next(sample for sample in samples if sample.position == position)
        score: float | None = None
        if rated:
            score = near.number_input(
                "Score near",
                dimension.low,
                dimension.high,
                dimension.low if current.score is None else current.score,
                key=f"replace_near_{dimension.id}_{position}",
            )
        search = words.text_input(
            "Search", placeholder=f"words, document, {project.task.writer_name}", key=f"replace_words_{dimension.id}"
        )
        options = sample_options(workbench, dimension.id, score, search)
        chosen = st.selectbox(
            "by another text",
            options,
            format_func=_option,
            index=None,
            placeholder=_offered(options, rated),
            key=f"replace_text_{dimension.id}",
        )
        if chosen is not None:
            st.text(chosen.text.text)
        with st.container(horizontal=True):
            if was_pressed("Use this text", "use_text", disabled=chosen is None) and chosen is not None:
                _change(lambda: replace_sample(workbench, dimension.id, position, chosen.text.id))
            if all(sample.score is not None for sample in samples):
                count = st.number_input(
                    "Samples", 1, MOST_SAMPLES, len(samples), key=f"samples_{dimension.id}", width=130
                )
                if was_pressed("Choose all again automatically", key="choose_again", type="tertiary"):
                    _change(lambda: rechoose_samples(workbench, dimension.id, count=int(count)))
    if any(sample.score is None for sample in samples):
        _draw_again(workbench, dimension, samples)


RANDOM, DIVERSE = "At random", "Unlike each other"


def _draw_again(workbench: Workbench, dimension: Dimension, samples: Sequence[Sample]) -> None:
    """Draw the samples that nobody rated anew, with the next seed."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="draw_samples"):
        way = st.segmented_control(
            "Draw",
            [RANDOM, DIVERSE],
            default=RANDOM,
            required=True,
            key=f"sample_way_{dimension.id}",
            help="Unlike each other: each sample is as far from those before as can be, in its words, its length and "
            "who wrote it. At random: samples stand for the texts as they are.",
        )
        count = st.number_input(
            "Samples", 1, MOST_SAMPLES, len(samples), key=f"sample_count_{dimension.id}_{len(samples)}", width=130
        )
        if was_pressed("Draw others", key="choose_again"):
            place = f"sample_seed_{dimension.id}"
            seed = st.session_state[place] = st.session_state.get(place, 0) + 1
            _change(lambda: rechoose_samples(workbench, dimension.id, seed, int(count), way == DIVERSE))


def _offered(options: Sequence[SampleOption], rated: bool) -> str:
    if not options:
        return "nothing fits"
    return f"the {len(options)} nearest in score" if rated else f"{number(len(options), 'text')} to choose from"


def _change(change: Callable[[], object]) -> None:
    with ShownErrors():
        change()
        st.rerun()


def _named(position: int, samples: Sequence[Sample]) -> str:
    number, sample = next((n, s) for n, s in enumerate(samples, start=1) if s.position == position)
    return f"Sample {number}, {score_words(sample.score)}"


def _option(option: SampleOption) -> str:
    return f"{score_words(option.score)} · {text_title(option.text)}"
