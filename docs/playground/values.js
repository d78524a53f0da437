// What a set is worth and how an instance may be asked: the same definitions as in models/lib/value.mzn.

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

function redundancyIn(data, members) {
  let total = 0;
  members.forEach((i, at) => members.slice(at + 1).forEach((j) => { total += data.pairs[i][j]; }));
  return total;
}

/** What features and pairs count in the integer value of a set, and how much of it is 1 of the user's numbers. */
function weights(data) {
  const k = data.k;
  const known = {
    mrmr: [Math.max(1, k - 1), 2, Math.max(1, k * (k - 1))],
    jmi: [Math.max(1, k - 1), 1, Math.max(1, (k * (k - 1)) / 2)],
    graph_score: [1, 1, 1], mifs: [1, 1, 1], cife: [1, 1, 1],
  };
  const [feature, pair, unit] = known[data.objective] || [1, 0, 1];
  return [data.objective_per_feature ?? feature, data.objective_per_pair ?? pair, data.objective_unit ?? unit];
}

/** The quality of a set of features, in the units of the user's numbers; null where the data do not say. */
export function qualityOf(data, members) {
  if (!Array.isArray(data.quality)) return null;
  const relevance = sum(members.map((f) => data.quality[f]));
  const scale = data.scale || 1;
  if (data.objective === "cfs") {
    return relevance / Math.sqrt(scale * (scale * members.length + 2 * redundancyIn(data, members)));
  }
  const [feature, pair, unit] = weights(data);
  return (feature * relevance - (pair ? pair * redundancyIn(data, members) : 0)) / (scale * unit);
}

/** What the integer objective of a model is in the units of the user's numbers. */
export function inUnits(data, objective) {
  return objective / ((data.scale || 1) * weights(data)[2]);
}

/** What is made of the values of several sets, as the search says: "sum" or "min". */
export function aggregateOf(data) {
  return { sequential: "sum", min_then_sum: "min" }[data.search] ?? data.search ?? "sum";
}

/** A number as text, with so many digits that count. */
export function shown(number, digits = 5) {
  if (number === null || number === undefined || Number.isNaN(number)) return "";
  if (Number.isInteger(number)) return String(number);
  return String(Number(number.toPrecision(digits)));
}

/** Whether a model is meant for a problem: its objective, its aggregate, one set or several, its further data. */
export function fits(model, data) {
  if (!model.needs.every((name) => name in data)) return false;
  if (data.objective === undefined) return true;
  const several = data.n_sets > 1;
  return model.objectives.includes(data.objective)
    && (!several || (model.aggregates.includes(aggregateOf(data)) && !model.single))
    && (several || !model.file.startsWith("sum_by_counts"))
    && (data.max_shared === 0 || !model.file.startsWith("partition"));
}

/** One line that says what an instance asks. */
export function facts(data) {
  const parts = [];
  if (data.n_features) parts.push(`${data.n_features} features`);
  if (data.objective) parts.push({ univariate: "sum of the features' qualities", fcbf: "qualities, with conflicts (FCBF)",
    mrmr: "relevance minus redundancy (mRMR)", jmi: "joint mutual information (JMI)", graph_score: "graph score", cfs: "correlation-based (CFS)" }[data.objective] || data.objective);
  const more = [["previous", "previous sets"], ["conflicts", "conflicts"], ["forced", "forced"],
    ["forbidden", "forbidden"], ["groups", "groups"], ["candidates", "candidates"]];
  for (const [name, text] of more) if (data[name]?.length) parts.push(`${data[name].length} ${text}`);
  if (data.k_min !== undefined) parts.push(`at least ${data.k_min} in a set`);
  if (data.budget !== undefined) parts.push(`budget ${data.budget}`);
  return parts.join(" · ");
}
