import { serveLocally } from "@disburse/harness/local-server.ts";
import { expect, onTestFinished, test } from "vitest";
import { WrongAnswerError } from "./answers.ts";
import { newSeen, senderOf } from "./sender.ts";

/** Answers with these statuses in turn. Records the requests' idempotency keys. */
async function serve(statuses: readonly number[]) {
  const keys: unknown[] = [];
  const { url, close } = await serveLocally((request, response) => {
    response.writeHead(statuses[keys.length] ?? 200).end(`answer ${keys.length}`);
    keys.push(request.headers["idempotency-key"]);
  });
  onTestFinished(close);
  const seen = newSeen();
  const send = senderOf(url, "key", seen);
  const post = () => send({ path: "/", body: {}, check: (text) => text });
  return { keys, seen, post };
}

test("repeats a request that got a 503 with its key, and counts it", async () => {
  const { keys, seen, post } = await serve([503, 503, 200]);
  expect(await post()).toBe("answer 2");
  expect(seen).toEqual({
    unavailable: 2,
    last: { isGet: false, requestBytes: 2, answerBytes: "answer 2".length },
  });
  expect(new Set(keys).size).toBe(1);
  await post();
  expect(new Set(keys).size).toBe(2);
});

test.each([400, 409, 500])("fails at a %d", async (status) => {
  const { seen, post } = await serve([status]);
  await expect(post()).rejects.toThrow(WrongAnswerError);
  expect(seen.unavailable).toBe(0);
});
