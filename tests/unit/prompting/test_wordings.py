"""Own wordings count inside the block and nowhere else."""

import asyncio

import pytest

from app.errors import PromptError
from app.prompting import PromptWording, available_prompts, load_prompt, worded
from app.prompting.library import example_variables

OWN = load_prompt("components").source.replace("Several assessors noted", "Some people said")


def test_inside_the_block_the_own_wording_is_loaded_and_labelled() -> None:
    with worded({"components": PromptWording(3, OWN)}):
        found = load_prompt("components")
        assert (found.label, found.own) == ("components@1+own3", 3)
        assert "Some people said" in found.system
        assert load_prompt("components", 1).own == 0
        assert load_prompt("clusters").own == 0
    assert load_prompt("components").label == "components@1"


def test_what_is_begun_inside_sees_it_and_a_block_within_replaces_it() -> None:
    async def label() -> str:
        task = asyncio.create_task(asyncio.to_thread(lambda: load_prompt("components").label))
        return await task

    with worded({"components": PromptWording(1, OWN)}):
        assert asyncio.run(label()) == "components@1+own1"
        with worded({}):
            assert load_prompt("components").own == 0
        assert load_prompt("components").own == 1


def test_the_number_is_in_the_label_of_what_is_sent_and_the_digest_is_of_the_wording() -> None:
    with worded({"components": PromptWording(2, OWN)}):
        template = load_prompt("components")
        prompt = template.render(**example_variables(template) or {})
    assert prompt.label == "components@1+own2"
    assert prompt.digest == template.digest != load_prompt("components").digest


def test_a_wording_that_breaks_the_contract_is_refused_when_it_is_loaded() -> None:
    other = PromptWording(1, OWN.replace("name: components", "name: clusters"))
    with worded({"components": other}), pytest.raises(PromptError, match="changes its name"):
        load_prompt("components")


@pytest.mark.parametrize("name", available_prompts())
def test_every_built_in_prompt_can_be_filled_in_on_trial(name: str) -> None:
    template = load_prompt(name)
    values = example_variables(template)
    assert values is not None, f"give an example of {template.variables} in app/prompting/library.py"
    assert template.render(**values).user
