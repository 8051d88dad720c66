"""Think aloud: an expert's own considerations, written or said."""
