"""Think aloud: an expert's own attributes, written or spoken."""
