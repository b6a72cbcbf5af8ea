"""`make smoke`: what a person with a browser and a CI script do with a running portal, over real HTTP."""
