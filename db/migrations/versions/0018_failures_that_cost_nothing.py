"""calls that failed without being billed cost 0; those whose reply was lost have no known cost"""

from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

# A request that ran out of time was sent, and may have been billed. Of the others nothing better is known than what was
# said so far: that they cost nothing.
_COST_NOTHING = """
    UPDATE model_call SET cost_usd = 0
    WHERE error_kind <> '' AND error_kind <> 'timeout' AND cost_usd IS NULL AND input_tokens = 0
"""
_UNKNOWN = "UPDATE model_call SET cost_usd = NULL WHERE error_kind <> '' AND cost_usd = 0 AND input_tokens = 0"


def upgrade() -> None:
    op.execute(_COST_NOTHING)


def downgrade() -> None:
    op.execute(_UNKNOWN)
