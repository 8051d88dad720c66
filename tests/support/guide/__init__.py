"""The guide: pages written by hand in docs/guide, and a reference made from the code; `make docs` builds the site."""
