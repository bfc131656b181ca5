// copy and fill: moves elements at the width that is fastest.
