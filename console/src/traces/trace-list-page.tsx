export function TraceListPage() {
  return <p>TraceListPage</p>;
}
