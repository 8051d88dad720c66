import pytest

from app.errors import InputError, TierError
from app.providers.model_options import ModelOptions, check_tier


def test_the_slower_tier_has_more_time_unless_another_was_chosen() -> None:
    assert ModelOptions().seconds == 600
    assert ModelOptions(tier="flex").seconds == ModelOptions(tier="flex-or-standard").seconds == 900
    assert ModelOptions(timeout=120, tier="flex").seconds == 120


def test_a_tier_is_stored_with_the_run_and_read_from_it() -> None:
    chosen = ModelOptions(tier="flex-or-standard", effort="low")
    assert chosen.params() == {"tier": "flex-or-standard", "effort": "low"}
    assert ModelOptions.of_run({"seed": 1, **chosen.params()}) == chosen
    assert ModelOptions.of_run({}) == ModelOptions()


@pytest.mark.parametrize("tier", ["batch", "priority", "Flex"])
def test_there_are_no_other_tiers(tier: str) -> None:
    with pytest.raises(InputError, match="flex and flex-or-standard"):
        ModelOptions(tier=tier)


@pytest.mark.parametrize("model", ["anthropic:claude-sonnet-5-5", "llama:qwen3:8b", "rules", "local:gpt2"])
def test_who_does_not_sell_it_is_known_beforehand(model: str) -> None:
    check_tier(model, "")
    with pytest.raises(TierError, match="sells no tier"):
        check_tier(model, "flex")
    check_tier("openai:gpt-4o", "flex")  # whether this very model is sold in it, its vendor says
