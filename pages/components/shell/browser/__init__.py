"""Browser functions that Streamlit doesn't offer."""
