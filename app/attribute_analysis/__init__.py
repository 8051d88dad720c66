"""Analysis of attributes: what people see and LLMs don't, how alike sets are, what is unique, how topics spread.

Pure: texts in, frozen results out; `to_json()` of a result fits the command line's contract. `pool.AttributePool` holds
who said what, `similarity.compare_groups` and `topics.analysis.analyse_topics` are the two front doors.
"""
