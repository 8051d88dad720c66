"""Results, Details, People: how well the raters agree, and the judge beside them."""
