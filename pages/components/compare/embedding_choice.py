"""Choice of the embedding that cosines come from: by a click, because some send the attributes away."""

from collections.abc import Sequence

import streamlit as st

from app.domain.attribute import Attribute
from app.errors import WorkbenchError
from app.services.attributes.analysis import compare_contributors
from app.services.attributes.embedding import (
    LSA,
    LSA_NAME,
    Embedding,
    EmbeddingChoice,
    embedding_choices,
    open_embedding,
)
from app.services.runtime.workbench import Workbench
from pages.components.shell.words import plain, show_error

CHOSEN = "compare_embedding"
ABOUT = (
    "An embedding turns a text into numbers, so that closeness in meaning can be measured. Word statistics learn from "
    "these attributes alone: words that occur together count as close. They need no network. A provider's model knows "
    "far more of the language; the attributes are sent to it."
)


def embedding_choice(workbench: Workbench, attributes: Sequence[Attribute]) -> Embedding:
    """The one in use; what fails is said and the one before stays."""
    name = st.session_state.get(CHOSEN, LSA_NAME)
    with st.popover(f"Embedding: {_label(name)}", key="embedding", icon=":material/straighten:", help=ABOUT):
        choices = {choice.name: choice for choice in embedding_choices(workbench.credentials)}
        options = list(choices) if name in choices else [*choices, name]
        with st.form("embedding_form", border=False):
            wanted = st.radio("Embedding", options, index=options.index(name), format_func=_label, key="embedding_name")
            st.caption("  \n".join(_about(choice) for choice in choices.values() if _about(choice)))
            if st.form_submit_button("Use this embedding", key="embedding_use", type="primary"):
                _use(workbench, attributes, wanted)
    try:
        return open_embedding(st.session_state.get(CHOSEN, LSA_NAME), workbench.credentials)
    except WorkbenchError:  # a key taken back since
        return LSA


def _use(workbench: Workbench, attributes: Sequence[Attribute], name: str) -> None:
    try:
        with st.spinner("Embedding the attributes"):
            compare_contributors(attributes, open_embedding(name, workbench.credentials))
    except WorkbenchError as error:
        show_error(error)
    else:
        st.session_state[CHOSEN] = name
        st.rerun()


def embedding_words(signature: str) -> str:
    """What an embedding's signature says, for a caption: "word statistics, 40 dimensions on tf-idf"."""
    width, _, weights = signature.removeprefix(f"{LSA_NAME}-").partition(" on ")
    return f"word statistics, {width} dimensions on {weights}" if width.isdigit() else f"the embedding {signature}"


def _label(name: str) -> str:
    return {"lsa": "Word statistics, on this machine", "local": "A sentence-transformers model on this machine"}.get(
        name, name
    )


def _about(choice: EmbeddingChoice) -> str:
    if choice.obstacle:
        return plain(f"{_label(choice.name)}: {choice.obstacle}")
    return plain(f"{choice.name}: the attributes are sent to {choice.sent_to}.") if choice.sent_to else ""
