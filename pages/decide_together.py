"""Decide together: a room in which experts vote blind on a question, see the votes, say a line each and vote again."""

from app.services.disagreements.rooms import rooms_of
from app.services.think_aloud.independence import is_thinking_aloud
from pages.components.decide_together import earlier_rooms, no_room, one_room
from pages.components.shell.background import watch_rooms
from pages.components.shell.blinding import open_attributes
from pages.components.shell.current import current_expert, current_workbench, expert
from pages.components.shell.frame import needs_dimension

workbench = current_workbench()
project, dimension = needs_dimension(
    workbench,
    "Decide together",
    "Experts vote blind on a question that they answer differently, see the votes, say a line each, and vote again.",
)
name = current_expert()
if is_thinking_aloud(workbench, dimension.id, name):
    open_attributes(workbench, project, dimension, "the checklist")
if name:
    expert(workbench, project)
watch_rooms(workbench, project)
rooms = rooms_of(workbench, dimension.id, name)
room = next((each for each in rooms if each.open), None)
if room is None:
    no_room(bool(name))
else:
    one_room(workbench, project, room, name)
earlier_rooms(workbench, [each for each in rooms if not each.open], name)
