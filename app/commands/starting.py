"""What a web server and a worker look at before they start: settings that can't be meant are said then, not later."""

from app.commands.output import say


def check_settings() -> None:
    """Says of variables that are none. Raises InputError or NotReadyError for values that can't be used."""
    from app.services.people.upload_quota import largest_upload, uploads_a_day
    from app.services.runtime.allowance import monthly_budgets
    from app.settings import settings
    from app.telemetry.signals import signals

    for name, meant in settings().mistyped().items():
        say(f"{name} is no setting, so it does nothing." + (f" Is {meant} meant?" if meant else ""))
    monthly_budgets()
    largest_upload()
    uploads_a_day()
    signals()
