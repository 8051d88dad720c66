"""lineage: where the questions of a checklist come from."""

from typing import Annotated

import typer

from app.commands.output import JsonOption, ProjectOption, counted, echo, print_json, shown_model
from app.commands.project import open_dimension


def lineage(
    project: ProjectOption,
    dimension: Annotated[str, typer.Option("--dimension", help="The dimension's name.")],
    version: Annotated[int | None, typer.Option(help="The version; the newest without it.")] = None,
    json_: JsonOption = False,
) -> None:
    """Each question with the attributes and contributors behind it, and the attributes that no question serves.

    Example: interacteval lineage --project News --dimension coherence --json
    """
    from app.services.checklists.lineage import lineage_document, lineage_of_version

    workbench, on = open_dimension(project, dimension)
    found = lineage_document(lineage_of_version(workbench, on.id, version))
    if json_:
        print_json(found)
        return
    for branch in found["components"]:
        echo(f"{branch['component'] or 'Without a component'}: {branch['key_question']}")
        for question in branch["questions"]:
            echo(f"  {question['question']}. {question['text']}")
            for attribute in question["attributes"]:
                quote = f", about “{' '.join(attribute['passage']['quote'].split())}”" if attribute["passage"] else ""
                echo(f"     - {attribute['text']} ({shown_model(attribute['contributor'])}{quote})")
            for example in question.get("examples", ()):
                why = f" ({example['reason']})" if example["reason"] else ""
                echo(f"     Example: {example['answer']}: {example['text']}{why}")
    if found["unserved"]:
        echo(f"{counted(len(found['unserved']), 'attribute')} behind no question:")
        for attribute in found["unserved"]:
            where = attribute["stage"] or (
                f"under {attribute['component']}" if attribute["component"] else "came later"
            )
            echo(f"  - {attribute['text']} ({where}{': ' if attribute['reason'] else ''}{attribute['reason']})")
