/** About 1 KB of typical JSON: ids, times, texts, a list. */
const item = (index: number) => ({
  id: `0198c0de-0000-7000-8000-00000000000${index}`,
  name: `Item number ${index}`,
  score: index / 8,
  is_active: index % 2 === 0,
  created_at: '2026-01-02T03:04:05.678Z',
});

export const SAMPLE = {
  id: '0198c0de-1111-7000-8000-000000000000',
  key: 'first-item',
  name: 'The first item',
  description: 'A text of some length, as people write it to say what a thing is for.',
  tags: ['red', 'green', 'blue'],
  owner: { id: '0198c0de-2222-7000-8000-000000000000', username: 'owner', email_address: null },
  items: [1, 2, 3, 4, 5].map(item),
  total: 5,
  created_at: '2026-01-02T03:04:05.678Z',
  updated_at: '2026-01-02T03:04:05.678Z',
};
