"""Phrases that say a limit, with {limit} to fill."""

AT_LEAST = "at least {limit} is asked for"
UP_TO = "up to {limit} is allowed"
PER_100 = "up to {limit} in 100 words are allowed"
PER_SENTENCE = "up to {limit} a sentence are allowed"
