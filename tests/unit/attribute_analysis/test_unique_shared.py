import pytest

from app.attribute_analysis.similarity import find_unique, map_attributes, pair_matrices
from app.errors import InputError

TEXTS = ["ideas follow in order", "commas are placed", "ideas follow in good order", "pronouns are clear"]
GROUPS = {"ada": (0, 1), "m1": (2, 3)}


def test_what_nobody_else_has() -> None:
    found = find_unique(pair_matrices(TEXTS), GROUPS, threshold=0.5, measure="rouge_l")
    assert [n.attribute for n in found.unique["ada"]] == [1]
    assert [n.attribute for n in found.unique["m1"]] == [3]


def test_nearest_neighbours_lead_with_the_most_alike() -> None:
    found = find_unique(pair_matrices(TEXTS), GROUPS, measure="rouge_l")
    best = found.nearest["ada", "m1"][0]
    assert (best.attribute, best.nearest) == (0, 2)
    assert best.similarity == pytest.approx(8 / 9)
    assert set(found.nearest) == {("ada", "m1"), ("m1", "ada")}


def test_threshold_ends() -> None:
    matrices = pair_matrices(TEXTS)
    assert find_unique(matrices, GROUPS, 0.0).unique["ada"] == ()
    assert len(find_unique(matrices, GROUPS, 1.0).unique["ada"]) == 2
    with pytest.raises(InputError):
        find_unique(matrices, GROUPS, 1.5)


def test_alone_everything_is_unique() -> None:
    found = find_unique(pair_matrices(TEXTS), {"ada": range(4)}, 0.1)
    assert len(found.unique["ada"]) == 4
    assert found.unique["ada"][0].nearest is None


def test_what_the_embedding_can_t_place_is_unique() -> None:
    found = find_unique(pair_matrices(["the of", "clear ideas"]), {"a": (0,), "b": (1,)}, 0.3)
    assert found.unique["a"][0].similarity is None


def test_map_places_like_beside_like() -> None:
    points = map_attributes(pair_matrices(TEXTS)).points
    distance = [sum((a - b) ** 2 for a, b in zip(points[0], points[i], strict=True)) for i in (1, 2, 3)]
    assert min(distance) == distance[1]


@pytest.mark.parametrize("texts", [["clear"], ["clear", "clear"], ["clear"] * 4, ["the"] * 3])
def test_map_says_when_it_shows_nothing(texts: list[str]) -> None:
    found = map_attributes(pair_matrices(texts))
    assert found.reason
    assert len(found.points) == len(texts)
