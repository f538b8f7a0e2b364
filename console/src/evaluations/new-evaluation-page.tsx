export function NewEvaluationPage() {
  return <p>NewEvaluationPage</p>;
}
