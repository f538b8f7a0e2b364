export function SamplePage() {
  return <p>SamplePage</p>;
}
