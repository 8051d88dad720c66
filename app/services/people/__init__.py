"""A team's people: links that let them in, who is signed in, and their part in projects."""
