"""Everything that is kept: rows, the engine, one unit of work, repositories, migrations."""
