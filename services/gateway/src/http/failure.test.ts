import { silentLog } from "@disburse/chassis/log.ts";
import {
  MongoNetworkError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
} from "mongodb";
import { expect, it } from "vitest";
import { failureAnswer } from "./failure.ts";

/** What a member of a replica set says that is no longer the one to write to. */
function elects(): MongoServerError {
  const error = new MongoServerError({ message: "10.0.0.7", code: 10_107 });
  error.addErrorLabel("RetryableWriteError");
  return error;
}

it.each([
  ["a broken connection", new MongoNetworkError("10.0.0.7:27017 closed"), 503],
  ["no server", Object.create(MongoServerSelectionError.prototype), 503],
  ["a slow database", new MongoOperationTimeoutError("10.0.0.7"), 503],
  ["a database that elects", elects(), 503],
  ["a database that says no", new MongoServerError({ message: "10.0.0.7", code: 2 }), 500],
  ["a bug", new RangeError("10.0.0.7"), 500],
  ["what is no error", "10.0.0.7", 500],
])("%s", (_what, error, status) => {
  const answer = failureAnswer(error, silentLog);
  expect(answer.status).toBe(status);
  expect(answer.headers["Retry-After"]).toBe(status === 503 ? "1" : undefined);
  expect(Object.keys(JSON.parse(answer.body))).toEqual(["code", "message"]);
  expect(answer.body).not.toContain("10.0.0.7");
});
