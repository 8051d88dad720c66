"""What the browser does here that Streamlit has no word for."""
