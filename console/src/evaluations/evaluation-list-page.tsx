export function EvaluationListPage() {
  return <p>EvaluationListPage</p>;
}
