import { expect, it } from "vitest";
import { createEqualReads } from "./equal-reads.ts";

/** Shared reads whose answers come when a test says so. */
function sharing() {
  const share = createEqualReads<string>();
  const begun: PromiseWithResolvers<string>[] = [];
  return {
    begun,
    ask: (key: string) =>
      share(key, () => {
        const answer = Promise.withResolvers<string>();
        begun.push(answer);
        return answer.promise;
      }),
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it("shares a read among all who asked before it began, and no earlier one", async () => {
  const { begun, ask } = sharing();
  const first = ask("a");
  const [second, third] = [ask("a"), ask("a")];
  expect(begun).toHaveLength(1);
  begun[0]?.resolve("1");
  expect(await first).toBe("1");
  await turn();
  expect(begun).toHaveLength(2);
  const fourth = ask("a");
  begun[1]?.resolve("2");
  expect(await Promise.all([second, third])).toEqual(["2", "2"]);
  await turn();
  begun[2]?.resolve("3");
  expect(await fourth).toBe("3");
});

it("begins a read of another key at once, and keeps nothing of one that ended", async () => {
  const { begun, ask } = sharing();
  const one = ask("a");
  void ask("b");
  expect(begun).toHaveLength(2);
  begun[0]?.resolve("1");
  await one;
  await turn();
  void ask("a");
  expect(begun).toHaveLength(3);
});

it("fails for those who share the read that failed, and for no one after", async () => {
  const { begun, ask } = sharing();
  const first = ask("a");
  const second = ask("a");
  begun[0]?.reject(new Error("away"));
  await expect(first).rejects.toThrow("away");
  await turn();
  begun[1]?.resolve("2");
  expect(await second).toBe("2");
});
