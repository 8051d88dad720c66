"""Analysis of a checklist's questions: agreement on each, what each adds to the score, and learned weights."""
