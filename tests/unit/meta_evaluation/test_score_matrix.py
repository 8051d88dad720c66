import numpy as np
import pytest

from app.errors import InputError
from app.meta_evaluation.score_matrix import score_table, source_grid


def test_first_of_duplicate_rows_counts_and_the_rest_are_reported() -> None:
    table = score_table([[1, 2, 3]], [4, 5, 6], group=["a", "a", "a"], system=["x", "x", "y"])
    assert table.scores.tolist() == [[1, 3]]
    assert (table.intake.duplicates, table.intake.conflicting) == (1, 1)


def test_kept_duplicates_stay_and_are_still_reported() -> None:
    table = score_table([[1, 1]], [4, 4], group=["a", "a"], system=["x", "x"], duplicates="keep")
    assert table.n == 2
    assert (table.intake.duplicates, table.intake.conflicting) == (1, 0)


def test_an_item_column_tells_texts_of_one_system_apart() -> None:
    columns = {"group": ["a", "a"], "system": ["x", "x"]}
    assert score_table([[1, 2]], [1, 2], **columns, item=["i", "j"]).intake.duplicates == 0
    assert score_table([[1, 2]], [1, 2], **columns, item=["i", "i"]).intake.duplicates == 1


def test_a_source_alone_does_not_make_duplicates() -> None:
    table = score_table([[1, 1, 1]], [2, 2, 2], group=["a", "a", "a"])
    assert table.n == 3
    assert not table.intake.duplicates_knowable


def test_missing_cells_are_counted_per_side_and_left_out() -> None:
    pred = [1.0, None, float("nan"), 4.0, float("inf"), 6.0]
    human = [1.0, 2.0, 3.0, None, 5.0, 6.0]
    table = score_table([pred], human, group=["a", "a", "a", "b", "b", None])
    assert table.n == 1
    assert table.intake.missing_pred == (3,)
    assert table.intake.missing_human == 1
    assert table.intake.missing_key == 1
    assert table.sources == 2, "a source that lost all its texts is still one of all"


def test_absurd_numbers_count_as_missing() -> None:
    assert score_table([[1e300, 1.0]], [1, 2]).intake.missing_pred == (1,)


def test_slots_are_systems_where_every_cell_holds_one_text() -> None:
    table = score_table([[1, 2, 3]], [4, 5, 6], group=["a", "a", "b"], system=["x", "y", "y"])
    grid = source_grid(table)
    assert grid.aligned
    assert grid.scores[0].tolist() == [[1, 2], [0, 3]]
    assert grid.present.tolist() == [[True, True], [False, True]]


def test_kept_duplicates_get_slots_of_their_own() -> None:
    table = score_table([[1, 2, 3]], [4, 5, 6], group=["a", "a", "b"], system=["x", "x", "y"], duplicates="keep")
    grid = source_grid(table)
    assert not grid.aligned
    assert grid.scores[0].tolist() == [[1, 2], [3, 0]]
    assert grid.system.tolist() == [[0, 0], [1, 0]]


def test_systems_that_wrote_one_text_each_do_not_blow_up_the_grid() -> None:
    n = 400
    table = score_table([np.arange(n)], np.arange(n), group=np.arange(n) // 4, system=np.arange(n))
    assert source_grid(table).human.shape == (100, 4)


@pytest.mark.parametrize("columns", [{"group": ["a"]}, {"system": ["a", "b", "c"]}])
def test_columns_of_other_lengths_are_refused(columns: dict[str, list[str]]) -> None:
    with pytest.raises(InputError, match="different lengths"):
        score_table([[1, 2]], [1, 2], **columns)


def test_predictors_of_different_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="different lengths"):
        score_table([[1, 2], [1]], [1, 2])


def test_words_are_no_scores() -> None:
    with pytest.raises(InputError, match="not a number"):
        score_table([["good"]], [1])
