export function EvaluationPage() {
  return <p>EvaluationPage</p>;
}
