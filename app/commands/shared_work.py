"""--dask: long work is shared with the workers of a Dask scheduler."""

from typing import Annotated

import typer


def _share(context: typer.Context, address: str | None) -> str | None:
    """For as long as the command runs. Raises InputError and NotReadyError before it begins."""
    from app.cluster.parts import work_shared_at

    if address is not None:
        context.with_resource(work_shared_at(address))
    return address


def _share_texts(context: typer.Context, address: str | None) -> str | None:
    """As `_share`, and ClusterError where nothing can be done there: else a run is planned that has to wait for it."""
    from app.cluster.scheduler import scheduler_at

    if address is not None:
        with scheduler_at(address):
            pass
    return _share(context, address)


DaskOption = Annotated[
    str | None,
    typer.Option(
        "--dask",
        metavar="ADDRESS",
        help="Share the texts with this Dask scheduler's workers: tcp://HOST:8786. INTERACTEVAL_DASK without it.",
        callback=_share_texts,
    ),
]
IntervalsDaskOption = Annotated[
    str | None,
    typer.Option(
        "--dask",
        metavar="ADDRESS",
        help="Share intervals that take long with this Dask scheduler's workers. INTERACTEVAL_DASK without it.",
        callback=_share,
    ),
]
