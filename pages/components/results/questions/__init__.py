"""Results, Questions: what each question, aspect and weight contributes."""
