export function SessionPage() {
  return <p>SessionPage</p>;
}
