"""Steps, aspects and seeds on the Score screen."""

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from app.domain.run import StageRun
from app.services.data.projects import dimensions_named
from app.services.runtime.workbench import Workbench
from app.services.scoring.stage_outputs import stage_outputs_of

Open = Callable[[str], AppTest]


def test_a_person_changes_steps_and_writes_seeds(demo: Workbench, open_screen: Open) -> None:
    dimension = dimensions_named(demo, "Demo", "all")[0]
    with demo.database.write() as work:
        output = '{"steps": ["Read *it*.", "Rate it."]}'
        work.stages.add(dimension.id, StageRun("g-eval-steps", "openai:gpt-4o", inputs_digest="x", output=output))
    app = open_screen("scores")
    assert not app.exception
    app.text_area(key=f"lines_{dimension.id}_0_1").set_value("Read it slowly.\nRate it.")
    app.button(key=f"save_writing_{dimension.id}_0").click().run()
    assert not app.exception
    (written,) = stage_outputs_of(demo, dimension.id)
    assert [version.by for version in written.versions] == ["a person", "openai:gpt-4o"]
    app.text_area(key=f"own_seed_lines_{dimension.id}").set_value("- no sub-aspect?")
    app.button(key=f"save_own_seeds_{dimension.id}").click().run()
    assert any("before any sub-aspect" in str(error.value) for error in app.error)
    app.text_area(key=f"own_seed_lines_{dimension.id}").set_value("Order\n- Is it in order?")
    app.button(key=f"save_own_seeds_{dimension.id}").click().run()
    assert not app.exception
    assert {written.stage for written in stage_outputs_of(demo, dimension.id)} == {
        "g-eval-steps",
        "check-eval-own-seeds",
    }
