"""Data: texts and ratings imported and viewed, and the task and its dimensions."""
