"""Methods: what each way of scoring is worth, what it costs, and whom it favours."""
