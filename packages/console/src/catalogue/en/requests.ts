/** Words of the log of requests. */
export const requestWords = {
  title: "Requests",
  caption: "Requests of the last 7 days, newest first",
  empty: "No request of the last 7 days. One is listed a few seconds after its answer.",
  at: "Answered",
  request: "Request",
  result: "Result",
  code: "Error code",
  duration: "Took",
  milliseconds: (ms: number) => `${ms} ms`,
  caller: "By",
  record: "Record",
  requestId: "Request id",
  disconnected: "No answer",
  statuses: { succeeded: "Succeeded", failed: "Failed" } as Readonly<Record<string, string>>,
  callers: { api_key: "API keys", member: "People in the console" } as Readonly<
    Record<string, string>
  >,
  callerFilter: "Made by (API keys where it is left out)",
} as const;
