/** Small tasks that need nothing but a shell. Their instructions show how they are solved, since they are for simulated models. */

export interface SampleTask {
  readonly name: string;
  readonly instruction: string;
  /** A script that exits with 0 if the task is solved. */
  readonly verify: string;
  readonly difficulty: 'easy' | 'medium';
  readonly tags: readonly string[];
}

const task = (
  name: string,
  {
    question,
    solution,
    verify,
    ...more
  }: { question: string; solution: string; verify: string } & Omit<SampleTask, 'name' | 'instruction'>,
): SampleTask => ({
  name,
  instruction: `${question} This does it:\n\n\`\`\`sh\n${solution}\n\`\`\`\n`,
  verify,
  ...more,
});

const ANSWERS = 'read -r answer < "$DRYDOCK_ANSWER_FILE" || true\n';
const mustAnswer = (expected: string) =>
  `${ANSWERS}[ "$answer" = "${expected}" ] || { echo "the answer is \\"$answer\\", and must be \\"${expected}\\""; exit 1; }\n`;

export const SAMPLE_TASKS: readonly SampleTask[] = [
  task('demo-sum', {
    question: 'Add the numbers from 1 to 100 and answer with the sum.',
    solution: "echo 'adding'; seq 100 | paste -sd+ | bc 2>/dev/null || echo $((100 * 101 / 2))",
    verify: mustAnswer('5050'),
    difficulty: 'easy',
    tags: ['arithmetic'],
  }),
  task('demo-words', {
    question:
      'Write a file words.txt with the words one, two and three, each on a line, and answer with the number of lines.',
    solution: "printf 'one\\ntwo\\nthree\\n' > words.txt; echo 'counting'; grep -c . words.txt",
    verify: `grep -qx two words.txt || { echo 'words.txt lacks "two"'; exit 1; }\n${mustAnswer('3')}`,
    difficulty: 'easy',
    tags: ['files'],
  }),
  task('demo-sort', {
    question: 'Sort the letters c, a and b, and answer with them in one word.',
    solution: "echo 'sorting'; printf 'c\\na\\nb\\n' | sort | tr -d '\\n'; echo",
    verify: mustAnswer('abc'),
    difficulty: 'easy',
    tags: ['text'],
  }),
  task('demo-tree', {
    question:
      'Make the folders a/b/c with a file note.txt in the last, and answer with the number of folders.',
    solution: "mkdir -p a/b/c && touch a/b/c/note.txt; echo 'made'; find a -type d | wc -l | tr -d ' '",
    verify: `[ -f a/b/c/note.txt ] || { echo 'a/b/c/note.txt is missing'; exit 1; }\n${mustAnswer('3')}`,
    difficulty: 'medium',
    tags: ['files'],
  }),
  task('demo-hash', {
    question: 'Answer with the first eight digits of the SHA-256 of the word drydock.',
    solution: "echo 'hashing'; printf drydock | sha256sum | cut -c1-8",
    verify: `${ANSWERS}expected=$(printf drydock | sha256sum | cut -c1-8)\n[ "$answer" = "$expected" ] || { echo "the answer is \\"$answer\\", and must be \\"$expected\\""; exit 1; }\n`,
    difficulty: 'medium',
    tags: ['text'],
  }),
];
