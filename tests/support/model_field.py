"""Fields in which a model is chosen, as AppTest has them."""

from streamlit.testing.v1.element_tree import Selectbox

_LABEL = " · not set up"


def not_set_up(field: Selectbox[str]) -> str:
    """A model on offer that lacks its key."""
    return next(option for option in field.options if option.endswith(_LABEL)).removesuffix(_LABEL)
