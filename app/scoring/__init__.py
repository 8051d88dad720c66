"""Scoring of many texts, with limited concurrency; scores are saved one by one; a run can be cancelled and resumed."""
