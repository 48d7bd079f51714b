"""How strong the engine is with few nodes and inaccurately read scores."""
