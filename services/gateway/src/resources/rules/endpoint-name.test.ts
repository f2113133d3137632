import { expect, it } from "vitest";
import { endpointNameProblem } from "./endpoint-name.ts";

it.each([
  [{}, undefined],
  [{ endpoint_id: "whe_1" }, undefined],
  [{ endpoint: "whe_1" }, undefined],
  [{ endpoint: "whe_1", endpoint_id: "whe_1" }, undefined],
  [{ endpoint: null, endpoint_id: "whe_1" }, undefined],
  [{ endpoint: "whe_1", endpoint_id: null }, undefined],
  [{ endpoint: "whe_1", endpoint_id: "whe_2" }, "INVALID_REQUEST"],
])("the two names of an endpoint's id in %j", (sent, refusal) => {
  expect(endpointNameProblem(sent)?.refused).toBe(refusal);
});
