/** Reads under a key; equal reads may share one. */
export type EqualReads<T> = (key: string, read: () => Promise<T>) => Promise<T>;

type Run<T> = { readonly ended: Promise<void>; next?: Promise<T> };

/**
 * Equal reads that are asked for while one is under way share the next one. A read begins after all
 * who share it asked, so that it sees whatever was written before. Nothing of it is kept.
 */
export function createEqualReads<T>(): EqualReads<T> {
  const runs = new Map<string, Run<T>>();
  const start: EqualReads<T> = (key, read) => {
    const answer = read();
    const run: Run<T> = {
      ended: Promise.allSettled([answer]).then(() => {
        if (run.next === undefined) runs.delete(key);
      }),
    };
    runs.set(key, run);
    return answer;
  };
  return (key, read) => {
    const run = runs.get(key);
    if (run === undefined) return start(key, read);
    run.next ??= run.ended.then(() => start(key, read));
    return run.next;
  };
}
