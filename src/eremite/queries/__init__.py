"""Questions to a table: each is planned from public facts, charged, and only then computed."""

from eremite.queries.count import CountPlan, compute_count, plan_count

__all__ = ["CountPlan", "compute_count", "plan_count"]
