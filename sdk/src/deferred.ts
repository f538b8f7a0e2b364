/** A promise with its ends: `Promise.withResolvers`, for what does not have that yet. */
export class Deferred<Value> {
  readonly promise: Promise<Value>;
  resolve!: (value: Value) => void;
  reject!: (reason: Error) => void;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}
