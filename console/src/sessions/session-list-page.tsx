export function SessionListPage() {
  return <p>SessionListPage</p>;
}
