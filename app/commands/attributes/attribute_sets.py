"""`similarity`, `topics` and `attributes coverage`: compare sets of attributes, one for each contributor."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.attribute_analysis.topics.topic_options import (
    DEFAULT_SEEDS,
    DEFAULT_TOPICS,
    FEWEST_SEEDS,
    FEWEST_TOPICS,
    MOST_SEEDS,
    MOST_TOPICS,
)
from app.commands.shared import JsonOption, ProjectOption, counted, echo, open_project, print_json, say, table
from app.domain.attribute import ContributorKind
from app.errors import InputError
from app.input_file import LARGEST_LIST, read_file

if TYPE_CHECKING:
    from app.attribute_analysis.similarity import SetComparison, Similarity
    from app.attribute_analysis.topics.grouping import GroupSpread

Files = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[FILE...]",
        help="One per contributor: an attribute per line, or a JSON list or object. Or an export (CSV, JSON).",
        show_default=False,
    ),
]
OfProject = Annotated[
    str | None, typer.Option("--project", help="The attributes of this project instead of files.", show_default=False)
]
OfDimension = Annotated[
    str | None, typer.Option("--dimension", help="With --project: the dimension's name.", show_default=False)
]
Kinds = Annotated[
    list[str] | None,
    typer.Option("--kind", metavar="NAME=human|llm", help="Who a file's contributor is; repeat for each."),
]


Output = Annotated[
    Path | None,
    typer.Option("--output", help="Write a picture (.svg) or a table (.csv, .tex) too.", show_default=False),
]


def similarity(
    files: Files = None,
    kind: Kinds = None,
    project: OfProject = None,
    dimension: OfDimension = None,
    embedding: Annotated[
        str,
        typer.Option(help="For the cosine: lsa (nothing leaves this machine), local, openai:MODEL or google:MODEL."),
    ] = "lsa",
    output: Output = None,
    json_: JsonOption = False,
) -> None:
    """Show how similar attributes are, within each file and between each pair of files: ROUGE-L, Jaccard and cosine.

    Example: interacteval similarity human.txt llm.txt

    A project: interacteval similarity --project Demo --dimension coherence
    """
    from app.attribute_analysis.pool import pool_attributes
    from app.attribute_analysis.similarity import compare_groups, pair_matrices
    from app.providers.credentials import Credentials
    from app.services.attributes.embedding_choice import open_embedding
    from app.settings import settings

    sets, kinds, _ = _gathered(files or [], kind, project, dimension)
    pool = pool_attributes(sets, kinds)
    embedder = open_embedding(embedding, Credentials.from_settings(settings())).embedder
    matrices = pair_matrices(pool.texts, embedder)
    found = compare_groups(matrices, pool.by_contributor())
    by_kind = compare_groups(matrices, pool.by_kind())
    if output is not None:
        from app.services.attributes.comparison_files import write_similarity

        write_similarity(output, found)
        say(f"Wrote {output}.")
    if json_:
        print_json(found.to_json() | ({"kinds": by_kind.to_json()} if by_kind.sizes else {}))
        return
    _print_similarity(found)
    if by_kind.sizes:
        echo("\nBy kind")
        _print_similarity(by_kind)
    echo(f"\n1 = the same, 0 = nothing in common; diversity is 1 - similarity. Cosine of {found.embedding}.")
    _print_sentences(found.notes)


def topics(
    files: Files = None,
    n_topics: Annotated[
        int, typer.Option("--topics", help=f"How many topics, {FEWEST_TOPICS} to {MOST_TOPICS}.")
    ] = DEFAULT_TOPICS,
    seeds: Annotated[
        int, typer.Option("--seeds", help=f"How many random starts, {FEWEST_SEEDS} to {MOST_SEEDS}.")
    ] = DEFAULT_SEEDS,
    kind: Kinds = None,
    project: OfProject = None,
    dimension: OfDimension = None,
    output: Output = None,
    json_: JsonOption = False,
) -> None:
    """Show the topics of the attributes, how each contributor spreads over them, and how stable they are.

    Example: interacteval topics human.txt llm.txt --topics 5 --seeds 20

    A project: interacteval topics --project Demo --dimension coherence
    """
    from app.attribute_analysis.pool import pool_attributes
    from app.attribute_analysis.topics.topic_models import analyse_topics

    sets, kinds, names = _gathered(files or [], kind, project, dimension)
    found = analyse_topics(pool_attributes(sets, kinds, names), n_topics, seeds)
    if output is not None:
        from app.services.attributes.comparison_files import write_topics

        write_topics(output, found.leading, kinds)
        say(f"Wrote {output}.")
    if json_:
        print_json(found.to_json())
        return
    echo(found.verdict)
    grouping = found.leading
    echo(f"\n{grouping.model}")
    rows = [[topic.id, topic.size, ", ".join(topic.words)] for topic in grouping.topics]
    echo(table(["topic", "attributes", "words"], rows))
    joint = {name.upper(): spread for name, spread in grouping.conditions.items() if ":" not in name}
    shares = [
        _share_row(name, spread, len(grouping.topics)) for name, spread in [*grouping.spreads.items(), *joint.items()]
    ]
    numbered = [f"topic {topic.id}" for topic in grouping.topics]
    echo("\n" + table(["share of", "attributes", *numbered, "spread", "by chance"], shares))
    _print_sentences([sentence for sentence in (grouping.warning, *grouping.notes) if sentence])
    echo(
        "\nSpread is the standard deviation of the shares: low = balanced, high = in few topics only.\n"
        "It depends on the size of a set: “by chance” is what as many attributes have that fall on topics at random.\n"
        "Compare sets of like size, or each with its own chance."
    )


def _gathered(
    files: Sequence[Path], kind: Sequence[str] | None, project: str | None, dimension: str | None
) -> tuple[dict[str, list[str]], dict[str, ContributorKind], tuple[str, ...]]:
    """Return contributor -> attributes, contributor -> kind, and the names of task and dimension, which are no topics,
    from files or from a project's dimension. Raises the errors of `read_sets`, and InputError."""
    if project is None:
        if not files or dimension is not None:
            raise InputError("Whose attributes?", "Name files, or --project and --dimension.")
        sets, kinds = read_sets(files)
        return sets, kinds | parse_kinds(list(kind) if kind else None), ()
    if files or dimension is None or kind:
        raise InputError("--project goes with --dimension, and without files and --kind.", "Leave out the others.")
    from app.services.attributes.comparison import active_attributes, names_of_task
    from app.services.data.projects import one_dimension

    workbench, target = open_project(project)
    project_id, dimension_id = target.id, one_dimension(workbench, project, dimension).id
    found: dict[str, list[str]] = {}
    of_kind: dict[str, ContributorKind] = {}
    for attribute in active_attributes(workbench, project_id, dimension_id):
        found.setdefault(attribute.contributor, []).append(attribute.text)
        of_kind[attribute.contributor] = attribute.kind
    return found, of_kind, names_of_task(workbench, project_id, dimension_id)


def read_sets(files: Sequence[Path]) -> tuple[dict[str, list[str]], dict[str, ContributorKind]]:
    """Return contributor -> attributes, and contributor -> kind where a table says it.

    A table of attributes names its contributors; for any other file the contributor is the file's name without its
    ending. Raises NotFoundError, FileFormatError or InputError, each naming the file.
    """
    sets: dict[str, list[str]] = {}
    kinds: dict[str, ContributorKind] = {}
    lists: set[str] = set()
    for path in files:
        found, of_kind, is_list = read_attributes(path)
        twice = next((name for name in found if name in sets and (is_list or name in lists)), None)
        if twice is not None:
            raise InputError(
                f"Two files hold attributes of “{twice}”; a contributor takes the file's name.", "Rename one of them."
            )
        for name, texts in found.items():
            sets.setdefault(name, []).extend(texts)
        kinds |= of_kind
        lists |= set(found) if is_list else set()
    return sets, kinds


def read_attributes(path: Path) -> tuple[dict[str, list[str]], dict[str, ContributorKind], bool]:
    """Return contributor -> attributes of one file, known kinds, and whether it is a list, which names no contributor.
    Raises the errors of `read_sets`."""
    from app.attribute_analysis.attribute_reading import decode_attributes, parse_attributes
    from app.services.attributes.attributes import attribute_sets

    content = read_file(path, LARGEST_LIST)
    try:
        table_of = attribute_sets(content, separated=path.suffix.lower() in (".csv", ".tsv"))
        found = {path.stem: parse_attributes(decode_attributes(content))} if table_of is None else table_of.texts
    except InputError as error:
        raise type(error)(f"{path}: {error.message}", error.hint) from None
    if not any(found.values()):
        raise InputError(f"{path} holds no attributes in use.", "Write one attribute per line.")
    if table_of is not None and table_of.left_out:
        say(f"{path}: {counted(table_of.left_out, 'attribute')} left out, excluded or merged.")
    return found, {} if table_of is None else table_of.kinds, table_of is None


def parse_kinds(given: Sequence[str] | None) -> dict[str, ContributorKind]:
    """Return name -> kind from `--kind NAME=human`. Raises InputError for anything else."""
    kinds = {}
    for option in given or []:
        name, _, kind = option.rpartition("=")
        if not name or kind not in set(ContributorKind):
            raise InputError(f"“{option}” is no kind of a contributor.", "Write --kind NAME=human or --kind NAME=llm.")
        kinds[name] = ContributorKind(kind)
    return kinds


def _print_similarity(found: "SetComparison") -> None:
    headings = ["pairs", "ROUGE-L", "Jaccard", "cosine"]
    rows = [[name, found.sizes[name], *_measures(value)] for name, value in found.within.items()]
    echo(table(["within", "attributes", *headings], rows))
    if found.between:
        pairs = [[f"{a} and {b}", *_measures(value)] for (a, b), value in found.between.items()]
        echo("\n" + table(["between", *headings], pairs))
    _print_sentences([f"{name}: {value.reason}" for name, value in found.within.items() if value.reason])


def _measures(value: "Similarity") -> list[int | float | None]:
    return [value.pairs, value.rouge_l, value.jaccard, value.cosine]


def _share_row(name: str, spread: "GroupSpread", n_topics: int) -> list[str | int | float | None]:
    shares = spread.by_top_topic
    if shares is None:
        return [name, spread.n, *[None] * n_topics, None, None]
    return [name, spread.n, *shares.values, shares.spread, spread.chance]


def _print_sentences(sentences: Sequence[str]) -> None:
    for sentence in sentences:
        echo(sentence)


def coverage(
    project: ProjectOption,
    dimension: Annotated[str, typer.Option(help="The dimension's name.")],
    embedding: Annotated[
        str | None,
        typer.Option(
            help="Says which attributes are alike: local, lsa, openai:MODEL or google:MODEL; without it the sentence "
            "model on this machine, else lsa.",
            show_default=False,
        ),
    ] = None,
    least: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="How alike attributes of one theme are, from 0 to 1.")
    ] = None,
    model: Annotated[
        str, typer.Option(help="Asks this model too which questions cover which attributes: provider:name, or rules.")
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what asking --model would cost, and stop.")] = False,
    json_: JsonOption = False,
) -> None:
    """Show whether there are enough attributes: themes found, their coverage, and what one more expert would add.

    Example: interacteval attributes coverage --project Demo --dimension coherence
    """
    from app.providers.credentials import Credentials
    from app.services.attributes.checklist_coverage import checklist_coverage, forecast_coverage, judge_coverage
    from app.services.attributes.comparison import attribute_coverage
    from app.services.attributes.embedding_choice import open_embedding, usual_embedding
    from app.services.data.projects import one_dimension
    from app.settings import settings

    workbench, target = open_project(project)
    project_id, dimension_id = target.id, one_dimension(workbench, project, dimension).id
    chosen = open_embedding(embedding or usual_embedding(), Credentials.from_settings(settings()))
    if dry_run and not model:
        raise InputError("--dry-run says what asking a model would cost.", "Name the model with --model.")
    if dry_run:
        ahead = forecast_coverage(workbench, project_id, dimension_id, model)
        if json_:
            print_json([asdict(ahead)])
        else:
            echo(str(ahead))
        return
    if model:
        judge_coverage(
            workbench, project_id, dimension_id, model, lambda done, of: say(f"{done} of {of} requests answered")
        )
    found = attribute_coverage(workbench, project_id, dimension_id, chosen, least)
    checklist = checklist_coverage(workbench, project_id, dimension_id, chosen)
    if json_:
        print_json(found.to_json() | {"by_checklist": checklist.to_json() if checklist else None})
        return
    echo(f"{counted(found.attributes, 'attribute')}, {counted(found.themes, 'theme')}")
    whom = "expert" if found.people else "contributor"
    if found.coverage is None or found.unseen_themes is None or found.next_expert is None:
        echo("How much they cover can be estimated once two have said something.")
    else:
        value, low, high = (f"{end:.0%}" for end in (found.coverage.value, found.coverage.low, found.coverage.high))
        echo(f"covered of what one more {whom} would say: {value} (95 % interval {low} to {high})")
        echo(f"one more {whom} would add about {found.next_expert:.1f} new themes")
        echo(f"themes not seen yet: {found.unseen_themes:.0f} or more")
    rows = [[name, one.of, one.covered, one.low, one.high] for name, one in found.leave_one_out.items()]
    echo("\n" + table([whom, "attributes", "others have", "95 % from", "to"], rows))
    echo(
        f"\nCosine of {found.embedding}: {found.threshold:g} on average in a theme, {found.near:g} to what others have."
    )
    if checklist:
        echo(f"\nVersion {checklist.version} without the questions that only this {whom} led to:")
        without = [
            [name, checklist.left[name], one.of, one.covered, one.low, one.high]
            + ([judged.covered, judged.low, judged.high] if (judged := checklist.judged.get(name)) else [])
            for name, one in checklist.experts.items()
        ]
        header = [whom, "questions", "attributes", "covered", "95 % from", "to"]
        echo(table(header + ([checklist.judge, "95 % from", "to"] if checklist.judge else []), without))
        if checklist.agreement is not None:
            kappa = "undefined" if checklist.kappa is None else f"{checklist.kappa:.2f}"
            echo(f"Embedding and {checklist.judge} agree on {checklist.agreement:.0%} of attributes (kappa {kappa}).")
