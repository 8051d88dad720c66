"""Pictures of topics, for Compare and Results."""
