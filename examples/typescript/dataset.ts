/** Publishes a dataset and reads the rows that match a search. */
import { Drydock } from '@drydock/sdk';
import { publish, WHERE } from './publish.ts';

const drydock = new Drydock();
const rows = [
  { question: 'Capital of Norway?', answer: 'Oslo' },
  { question: 'Capital of Peru?', answer: 'Lima' },
];
const { name, row_count } = await publish(drydock.datasets, 'example-capitals', {
  'dataset.yaml': 'summary: Capitals of countries\nlicense: cc0-1.0\n',
  'train.jsonl': rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
});
console.log(name, row_count); // → main/example-capitals 2

const version = { org: WHERE.org, name: 'example-capitals', version: '1.0.0' };
const found = await drydock.datasets.listRows(version, { search: 'peru' });
console.log(found.rows.map((row) => row['answer'])); // → [ 'Lima' ]
