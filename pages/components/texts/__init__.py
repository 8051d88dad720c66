"""Data: texts and ratings brought in and looked at, and what they are judged on."""
