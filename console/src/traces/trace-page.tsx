export function TracePage() {
  return <p>TracePage</p>;
}
