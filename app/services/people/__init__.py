"""A team's people: invitations, sign-ins, memberships and shares of texts."""
