"""Did a judge change, or the texts?"""
