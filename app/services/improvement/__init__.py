"""From decisions to a better question: proposed, tried, and proven on texts that nobody tried it on."""
