"""Everything people look at: pages, stream, commands over HTTP."""
