"""OpenID Connect: an organisation's own provider says who somebody is, by the authorization code flow."""
