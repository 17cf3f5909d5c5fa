"""Virtual contactless tags for the virtual PC/SC readers of this folder.

A tag lies on a reader as long as a TCP connection to the reader's port is open. `script` reads
what shall happen as JSON lines, `transport` puts tags on readers and takes them away, `kinds`
makes a tag from its description, and `type2` to `type5` and `classic` are the tags.
"""
