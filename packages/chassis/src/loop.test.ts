import { expect, it, vi } from "vitest";
import { silentLog } from "./log.ts";
import { startLoop } from "./loop.ts";

it("runs at once, again while there is more, when woken, and after a failure", async () => {
  const answers: (boolean | Error)[] = [true, false, new Error("broken"), false];
  let runs = 0;
  const loop = startLoop({
    name: "test",
    everyMs: 60_000,
    log: silentLog,
    run: async () => {
      const answer = answers[runs++];
      if (answer instanceof Error) throw answer;
      return answer ?? false;
    },
  });
  await vi.waitFor(() => expect(runs).toBe(2));
  loop.wake();
  await vi.waitFor(() => expect(runs).toBe(3));
  loop.wake();
  await vi.waitFor(() => expect(runs).toBe(4));
  await loop.stop();
});
