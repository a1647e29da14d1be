"""RDF files in every syntax, as columns of ids and back."""
