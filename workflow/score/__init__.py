"""What `semblance score` needs to know of a machine: where data and models lie."""
