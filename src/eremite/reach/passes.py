"""Passes over heavy covers: what they join, what they hold, which of them hold too much."""

from eremite.engines.pair import U, kernel


@kernel
def unite(parents, rows, begins):
    """Join the rows of each cover: afterwards, following `parents` leads to the smallest row of a component."""
    for cover in range(begins.size - 1):
        first = rows[begins[cover]]
        while parents[first] != first:
            parents[first] = parents[parents[first]]
            first = parents[first]
        for place in range(begins[cover] + 1, begins[cover + 1]):
            other = rows[place]
            while parents[other] != other:
                parents[other] = parents[parents[other]]
                other = parents[other]
            if other < first:
                first, other = other, first
            parents[other] = first


@kernel
def settle(parents):
    """Let every row point to the smallest one of its component."""
    for i in range(parents.size):
        parents[i] = parents[parents[i]]


@kernel
def sign(rows, begins, first, signatures):
    """Add to the signature of each row those of its covers, which are numbered from `first` on."""
    for cover in range(begins.size - 1):
        key = (U(first + cover) + U(1)) * U(0x9E3779B97F4A7C15)
        key = (key ^ (key >> U(30))) * U(0xBF58476D1CE4E5B9)
        key = (key ^ (key >> U(27))) * U(0x94D049BB133111EB)
        key ^= key >> U(31)
        for place in range(begins[cover], begins[cover + 1]):
            signatures[rows[place]] += key


@kernel
def hold(values, rows, begins, held):
    """The sum of the values of the rows of each cover."""
    for cover in range(begins.size - 1):
        total = values[rows[begins[cover]]]
        for place in range(begins[cover] + 1, begins[cover + 1]):
            total += values[rows[place]]
        held[cover] = total


@kernel
def fullest(held, rows, begins, most):
    """For each row, the most that one of its covers holds."""
    for cover in range(begins.size - 1):
        for place in range(begins[cover], begins[cover + 1]):
            most[rows[place]] = max(most[rows[place]], held[cover])


@kernel
def pick(order, rows, begins, taken, picked):
    """Of covers in this order, those of which a fifth of the rows or more are in none that was picked before."""
    for at in range(order.size):
        cover = order[at]
        known = 0
        for place in range(begins[cover], begins[cover + 1]):
            known += taken[rows[place]]
        if 5 * known <= 4 * (begins[cover + 1] - begins[cover]):
            picked[at] = True
            for place in range(begins[cover], begins[cover + 1]):
                taken[rows[place]] = True
