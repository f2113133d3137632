import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePorts } from "@disburse/embedded/free-ports.ts";
import { until } from "@disburse/harness/waiting.ts";
import { inSeconds, ruleTexts } from "./files.ts";

/** The address of a process's metrics, as `host:port`. */
export type Target = { readonly service: string; readonly address: string };

/** A rule window of five seconds needs more than two samples. */
const scrapeSeconds = 1;
const startTimeout = { timeoutMs: 20_000, everyMs: 100 };

/** Starts Prometheus in a folder with our rules, converted from minutes to seconds. */
export async function startPrometheus(folder: string, targets: readonly Target[]) {
  mkdirSync(join(folder, "alerts"), { recursive: true });
  for (const [name, text] of ruleTexts()) {
    writeFileSync(join(folder, "alerts", name), inSeconds(text));
  }
  writeFileSync(join(folder, "prometheus.yml"), configOf(targets));
  const [port] = await freePorts(1);
  const args = [
    `--config.file=${join(folder, "prometheus.yml")}`,
    `--storage.tsdb.path=${join(folder, "data")}`,
    `--web.listen-address=127.0.0.1:${port}`,
    "--log.level=warn",
  ];
  const child = spawn("prometheus", args, { stdio: ["ignore", "ignore", "pipe"] });
  const output: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => output.push(chunk.toString()));
  const ask = async (path: string): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    if (!response.ok) throw new Error(`Prometheus returned ${response.status} for ${path}`);
    return response.json();
  };
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  if (!(await until(isReady, startTimeout))) {
    child.kill("SIGKILL");
    throw new Error(`Prometheus did not start:\n${output.join("")}`);
  }
  // Before that it scrapes nothing, which raises an alert.
  const isScraping = async () => {
    const { data } = (await ask("/api/v1/query?query=up")) as { data: { result: unknown[] } };
    return data.result.length === targets.length;
  };
  if (!(await until(isScraping, startTimeout))) {
    child.kill("SIGKILL");
    throw new Error("Prometheus scrapes nothing");
  }
  return {
    firing: async (): Promise<string[]> => {
      const { data } = (await ask("/api/v1/alerts")) as AlertsAnswer;
      const firing = data.alerts.filter(({ state }) => state === "firing");
      return [...new Set(firing.map(({ labels }) => labels.alertname))].sort();
    },
    stop: async (): Promise<void> => {
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      await gone;
    },
  };
}

type AlertsAnswer = {
  readonly data: {
    readonly alerts: readonly {
      readonly state: string;
      readonly labels: { readonly alertname: string };
    }[];
  };
};

function configOf(targets: readonly Target[]): string {
  const configs = targets.map(({ service, address }) => ({
    labels: { service },
    targets: [address],
  }));
  // JSON is valid YAML.
  return JSON.stringify({
    global: {
      scrape_interval: `${scrapeSeconds}s`,
      scrape_timeout: `${scrapeSeconds}s`,
      evaluation_interval: `${scrapeSeconds}s`,
    },
    rule_files: ["alerts/*.yaml"],
    scrape_configs: [{ job_name: "disburse", honor_labels: true, static_configs: configs }],
  });
}
