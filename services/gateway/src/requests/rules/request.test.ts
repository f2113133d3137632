import { expect, it } from "vitest";
import { hasFailed, type RequestEntry, routeParts, spanMaxMs, spansOf } from "./request.ts";

const entry = (ms: number): RequestEntry => ({
  ...{ at: new Date(ms), request_id: `r-${ms}`, route: "GET /api/v1/events", status: 200 },
  ...{ duration_ms: 1, caller_id: "a1B2c3D4" },
});

it.each([
  [0, true],
  [200, false],
  [399, false],
  [400, true],
  [503, true],
])("the status %i is a failure: %s", (status, failed) => {
  expect(hasFailed({ status })).toBe(failed);
});

it("cuts requests into spans, in the order of time", () => {
  const times = [spanMaxMs + 1, 0, spanMaxMs, 2 * spanMaxMs + 2];
  const spans = spansOf(times.map(entry)).map((span) => span.map(({ at }) => at.getTime()));
  expect(spans).toEqual([[0, spanMaxMs], [spanMaxMs + 1], [2 * spanMaxMs + 2]]);
  expect(spansOf([])).toEqual([]);
});

it("says a route as the OpenAPI document does", () => {
  expect(routeParts("GET /api/v1/keys/:keyId")).toEqual({
    ...{ method: "GET", route: "/api/v1/keys/{keyId}" },
  });
});
