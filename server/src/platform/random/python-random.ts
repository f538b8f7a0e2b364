/**
 * The generator of Python 3.11's `random.Random(seed)`: the same seed gives the same draws, so that decisions can be compared with those of
 * Python programs, and repeated by any process. It is not suitable for secrets.
 */
const SIZE = 624;
const SHIFT = 397;
/** Below this population size, `sample` draws from a copy of it; above, it remembers what it drew. */
const SMALL_POPULATION = 21;

export class PythonRandom {
  readonly #state = new Uint32Array(SIZE);
  #position = SIZE;

  /** @param seed an integer of any size; as in Python, its sign is ignored */
  constructor(seed: number | bigint) {
    seedByArray(this.#state, wordsOf(seed));
  }

  /** @returns a number in [0, 1) with 53 random bits */
  random(): number {
    const high = this.#word() >>> 5;
    const low = this.#word() >>> 6;
    return (high * 0x4000000 + low) / 0x20000000000000;
  }

  /** @param count 0 to 53: what a number holds exactly */
  getrandbits(count: number): number {
    if (!(Number.isInteger(count) && count >= 0 && count <= 53))
      throw new RangeError(`getrandbits takes 0 to 53 bits, not ${count}.`);
    if (count === 0) return 0;
    if (count <= 32) return this.#word() >>> (32 - count);
    const low = this.#word();
    return (this.#word() >>> (64 - count)) * 0x100000000 + low;
  }

  /** @returns an integer in [start, stop), or in [0, start) when there is one argument */
  randrange(start: number, stop?: number): number {
    const [from, width] = stop === undefined ? [0, start] : [start, stop - start];
    if (!(Number.isSafeInteger(width) && width > 0))
      throw new RangeError(`The range has to hold at least one integer; its width is ${width}.`);
    return from + this.#below(width);
  }

  /** @returns an integer in [low, high] */
  randint(low: number, high: number): number {
    return this.randrange(low, high + 1);
  }

  choice<T>(population: readonly T[]): T {
    return population[this.randrange(population.length)] as T;
  }

  /** Changes the order of the list itself. */
  shuffle(list: unknown[]): void {
    for (let last = list.length - 1; last > 0; last--) {
      const other = this.#below(last + 1);
      [list[last], list[other]] = [list[other], list[last]];
    }
  }

  /** @returns the items at `count` different positions, in the order drawn */
  sample<T>(population: readonly T[], count: number): T[] {
    const size = population.length;
    if (!(Number.isInteger(count) && count >= 0 && count <= size))
      throw new RangeError(`A sample of ${count} cannot be drawn from ${size} items.`);
    const copied = SMALL_POPULATION + (count > 5 ? 4 ** Math.ceil(Math.log(count * 3) / Math.log(4)) : 0);
    return size <= copied ? this.#sampleFromCopy(population, count) : this.#sampleSparsely(population, count);
  }

  /** Draws with repetition; all items are equally likely without weights. */
  choices<T>(population: readonly T[], count: number, weights?: readonly number[]): T[] {
    if (population.length === 0) throw new RangeError('An empty list has nothing to choose.');
    const draw = weights === undefined ? this.#evenly(population.length) : this.#weighted(weights);
    return Array.from({ length: count }, () => population[draw()] as T);
  }

  #evenly(size: number): () => number {
    return () => Math.floor(this.random() * size);
  }

  #weighted(weights: readonly number[]): () => number {
    let total = 0;
    const sums = weights.map((weight) => (total += weight));
    if (!(total > 0)) throw new RangeError('The sum of the weights has to be greater than zero.');
    return () => {
      const drawn = this.random() * total;
      let [low, high] = [0, sums.length - 1];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (drawn < (sums[middle] as number)) high = middle;
        else low = middle + 1;
      }
      return low;
    };
  }

  #sampleFromCopy<T>(population: readonly T[], count: number): T[] {
    const pool = [...population];
    return Array.from({ length: count }, (_, index) => {
      const left = pool.length - index;
      const drawn = this.#below(left);
      const item = pool[drawn] as T;
      pool[drawn] = pool[left - 1] as T;
      return item;
    });
  }

  #sampleSparsely<T>(population: readonly T[], count: number): T[] {
    const drawn = new Set<number>();
    while (drawn.size < count) drawn.add(this.#below(population.length));
    return [...drawn].map((position) => population[position] as T);
  }

  /** Draws as many bits as the bound has until the value is below it: one draw more or less would shift all that follow. */
  #below(bound: number): number {
    const bits = bound.toString(2).length;
    let drawn = this.getrandbits(bits);
    while (drawn >= bound) drawn = this.getrandbits(bits);
    return drawn;
  }

  #word(): number {
    if (this.#position === SIZE) {
      twist(this.#state);
      this.#position = 0;
    }
    let word = this.#state[this.#position++] as number;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  }
}

/** The absolute value in words of 32 bits, the lowest first. */
function wordsOf(seed: number | bigint): number[] {
  const value = BigInt(seed);
  let rest = value < 0n ? -value : value;
  const words: number[] = [];
  do {
    words.push(Number(rest & 0xffffffffn));
    rest >>= 32n;
  } while (rest > 0n);
  return words;
}

const mixed = (state: Uint32Array, index: number) => {
  const previous = state[index - 1] as number;
  return previous ^ (previous >>> 30);
};

function seedByArray(state: Uint32Array, key: readonly number[]): void {
  state[0] = 19650218;
  for (let index = 1; index < SIZE; index++)
    state[index] = Math.imul(1812433253, mixed(state, index)) + index;
  let index = 1;
  const advance = () => {
    if (++index < SIZE) return;
    state[0] = state[SIZE - 1] as number;
    index = 1;
  };
  for (let step = 0; step < Math.max(SIZE, key.length); step++) {
    const position = step % key.length;
    const product = Math.imul(mixed(state, index), 1664525);
    state[index] = ((state[index] as number) ^ product) + (key[position] as number) + position;
    advance();
  }
  for (let step = 1; step < SIZE; step++) {
    const product = Math.imul(mixed(state, index), 1566083941);
    state[index] = ((state[index] as number) ^ product) - index;
    advance();
  }
  state[0] = 0x80000000;
}

function twist(state: Uint32Array): void {
  for (let index = 0; index < SIZE; index++) {
    const next = state[(index + 1) % SIZE] as number;
    const joined = ((state[index] as number) & 0x80000000) | (next & 0x7fffffff);
    const other = state[(index + SHIFT) % SIZE] as number;
    state[index] = other ^ (joined >>> 1) ^ (joined & 1 ? 0x9908b0df : 0);
  }
}
