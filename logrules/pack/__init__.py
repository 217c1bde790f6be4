"""Rule files to Pack: the only code that sees YAML, pydantic or pyparsing."""
