import type { Database } from "@disburse/chassis/mongo/database.ts";

/** Thrown by a dying process at its last step. */
class Died extends Error {}

/** The collection methods that write. */
const writes = new Set([
  ...["insertOne", "insertMany", "updateOne", "updateMany", "findOneAndUpdate", "deleteOne"],
]);

/**
 * Simulates a process that dies at a step. The steps are its writes and its calls of `quote`,
 * numbered from 0. With `2n` it dies before the effect of step n, and with `2n + 1` after it. Later
 * calls fail.
 */
export function dyingAt(last: number) {
  let steps = -1;
  let isDead = false;
  const step = async <T>(effect: () => Promise<T>): Promise<T> => {
    if (isDead) throw new Died("is dead");
    steps += 1;
    const mine = steps;
    if (2 * mine === last) {
      isDead = true;
      throw new Died("died before");
    }
    const result = await effect();
    if (2 * mine + 1 === last) {
      isDead = true;
      throw new Died("died after");
    }
    return result;
  };
  const stepping = <T extends object>(of: T, isStep: (name: string) => boolean): T =>
    new Proxy(of, {
      get: (target, name) => {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== "function") return value;
        if (!isStep(String(name))) return value.bind(target);
        return (...args: unknown[]) => step(() => value.apply(target, args));
      },
    });
  return {
    hasDied: () => isDead,
    calls: <T extends object>(client: T): T => stepping(client, () => true),
    database: (database: Database): Database => ({
      ...database,
      db: new Proxy(database.db, {
        get: (target, name) => {
          const value = Reflect.get(target, name) as unknown;
          if (name !== "collection" || typeof value !== "function") return value;
          return (...args: unknown[]) =>
            stepping(value.apply(target, args) as object, (each) => writes.has(each));
        },
      }),
    }),
  };
}
