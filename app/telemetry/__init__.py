"""What is asked and judged as OpenTelemetry signals, for those who set an address to send them to; else nothing at all.

Names are those of the GenAI conventions (semantic-conventions-genai): a span for each request, and the event
gen_ai.evaluation.result for each judgment and each score. Texts, answers and questions are in them only where that is
asked for; keys never are.
"""
