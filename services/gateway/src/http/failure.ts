import type { Log } from "@disburse/chassis/log.ts";
import { isUnavailable, readRefusal } from "@disburse/chassis/rpc-refusal.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import {
  MongoNetworkError,
  MongoOperationTimeoutError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
} from "mongodb";
import type { Answer } from "../domain/answer.ts";
import { isErrorCode } from "../domain/errors.ts";
import { refusalAnswer } from "./answer.ts";

const databaseAway = [
  MongoNetworkError,
  MongoOperationTimeoutError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
];

/**
 * The answer to whatever was thrown: a service's refusal verbatim; 503 where a service or our
 * database did not answer; anything else is a bug, whose cause is for the log alone.
 */
export function failureAnswer(error: unknown, log: Log): Answer {
  const refusal = readRefusal(error);
  if (refusal !== undefined && isErrorCode(refusal.code)) {
    return refusalAnswer(refused(refusal.code, refusal.message));
  }
  if (isUnavailable(error) || databaseAway.some((kind) => error instanceof kind)) {
    log.warn({ err: error }, "dependency did not answer");
    return refusalAnswer(refused("SERVICE_UNAVAILABLE"));
  }
  log.error({ err: error }, "request failed");
  return refusalAnswer(refused("INTERNAL_ERROR"));
}
