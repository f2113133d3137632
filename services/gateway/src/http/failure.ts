import type { Log } from "@disburse/chassis/log.ts";
import { isDatabaseUnavailable } from "@disburse/chassis/mongo/database.ts";
import { isUnavailable, readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { MongoTopologyClosedError } from "mongodb";
import type { Answer } from "../domain/answer.ts";
import { isErrorCode } from "../domain/errors.ts";
import { refusalAnswer } from "./answer.ts";

/**
 * The answer to whatever was thrown: a service's refusal verbatim; 503 where a service or our
 * database did not answer; anything else is a bug, whose cause is for the log alone.
 */
export function failureAnswer(error: unknown, log: Log): Answer {
  const refusal = readRefusal(error);
  if (refusal !== undefined && isErrorCode(refusal.code)) {
    return refusalAnswer(refused(refusal.code, refusal.message));
  }
  const isClosed = error instanceof MongoTopologyClosedError;
  if (isUnavailable(error) || isDatabaseUnavailable(error) || isClosed) {
    log.warn({ err: error }, "dependency did not answer");
    return refusalAnswer(refused("SERVICE_UNAVAILABLE"));
  }
  log.error({ err: error }, "request failed");
  return refusalAnswer(refused("INTERNAL_ERROR"));
}
