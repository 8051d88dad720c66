"""Analysis of attributes: what people see and LLMs don't, how alike sets are, what is unique, how topics spread.

Pure: texts in, frozen results out; `to_json()` of a result fits the command line's contract. `pool.AttributePool` holds
attributes with their contributors; `similarity.compare_groups` and `topics.topic_models.analyse_topics` are the entry
points.
"""
