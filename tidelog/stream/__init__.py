"""Updates that come one after another: where they come from (`sources`), and applying them with a look ahead (`follow`)."""
