"""Drift: did a judge change, or the texts?"""
