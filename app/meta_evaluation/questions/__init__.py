"""Questions of a checklist as items: who disagrees, what each carries, whether weights help."""
