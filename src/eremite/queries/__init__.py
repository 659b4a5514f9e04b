"""Questions to a table: each is planned from public facts, charged, and only then computed."""
