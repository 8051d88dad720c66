"""People on a team's server: who they are, what their part in a project is, and what that lets them do."""
