import { describe, expect, it } from "vitest";
import { readSettings } from "../settings.ts";
import { collectorUrl, sampledShare, tracingSettings } from "./settings.ts";

const read = (environment: Record<string, string>) => readSettings(environment, tracingSettings);
const at = "http://collector:4318";

describe("collectorUrl", () => {
  it.each([
    [{}, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "" }, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: at }, `${at}/v1/traces`],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: `${at}/otel/` }, `${at}/otel/v1/traces`],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${at}/t` }, `${at}/t`],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: at, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${at}/t` }, `${at}/t`],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: at, OTEL_SDK_DISABLED: "true" }, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: at, OTEL_TRACES_EXPORTER: "none" }, undefined],
  ])("of %j is %s", (environment, url) => expect(collectorUrl(read(environment))).toBe(url));
});

describe("sampledShare", () => {
  it.each([
    [{}, 1],
    [{ OTEL_TRACES_SAMPLER: "always_on", OTEL_TRACES_SAMPLER_ARG: "0.1" }, 1],
    [{ OTEL_TRACES_SAMPLER: "parentbased_always_off" }, 0],
    [{ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.1" }, 0.1],
    [{ OTEL_TRACES_SAMPLER: "parentbased_traceidratio" }, 1],
  ])("of %j is %d", (environment, share) => expect(sampledShare(read(environment))).toBe(share));
});

it("reads pairs", () => {
  const pairs = "deployment.environment.name=stage, k8s.pod.name = a%2Cb ,empty=,";
  expect(read({ OTEL_RESOURCE_ATTRIBUTES: pairs }).OTEL_RESOURCE_ATTRIBUTES).toEqual({
    ...{ "deployment.environment.name": "stage", "k8s.pod.name": "a,b", empty: "" },
  });
  expect(read({}).OTEL_EXPORTER_OTLP_HEADERS).toEqual({});
});

it.each([
  ["OTEL_EXPORTER_OTLP_HEADERS", "secret"],
  ["OTEL_RESOURCE_ATTRIBUTES", "=stage"],
  ["OTEL_RESOURCE_ATTRIBUTES", "name=%"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector"],
  ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
  ["OTEL_TRACES_SAMPLER", "jaeger_remote"],
  ["OTEL_TRACES_SAMPLER_ARG", "10%"],
  ["OTEL_TRACES_SAMPLER_ARG", "1.1"],
])("refuses %s=%s", (name, value) => expect(() => read({ [name]: value })).toThrow(name));
