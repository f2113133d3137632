import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { signWebhook } from "./sign-webhook.ts";
import { verifyWebhook } from "./verify-webhook.ts";

/** Runs the code in docs/guides/webhook-receivers against the published vectors and variations of them. */

type Vector = {
  readonly body: string;
  readonly timestamp: number;
  readonly current: { readonly secret: string; readonly standard_secret: string };
  readonly previous: Vector["current"] | null;
  readonly headers: Readonly<Record<string, string>>;
};

/** An input for a page's code and its expected output line. */
type Case = {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: string;
  readonly standardSecret: string;
  readonly now: number;
};

const docs = join(import.meta.dirname, "../../../docs");
const { vectors } = JSON.parse(readFileSync(join(docs, "webhook-vectors.json"), "utf8")) as {
  vectors: readonly Vector[];
};

const caseOf = (vector: Vector, { secret, standard_secret }: Vector["current"]): Case => {
  const { body, headers, timestamp: now } = vector;
  return { body, headers, secret, standardSecret: standard_secret, now };
};
const known = vectors.flatMap((vector) => [
  caseOf(vector, vector.current),
  ...(vector.previous === null ? [] : [caseOf(vector, vector.previous)]),
]);
const [payout] = known as [Case];
const resigned = (body: string, options: object = {}): Case => {
  const { secret, standardSecret, now } = payout;
  const timestamp = new Date(now * 1_000);
  const { headers } = signWebhook(body, { secret, standardSecret, timestamp, ...options });
  return { ...payout, body, headers };
};
const withHeader = (name: string, value: string | undefined): Case => {
  const { [name]: _, ...rest } = payout.headers;
  return { ...payout, headers: value === undefined ? rest : { ...rest, [name]: value } };
};
const other = Buffer.alloc(32).toString("base64");
const refused: readonly Case[] = [
  { ...payout, body: payout.body.replace("12.41", "99.41") },
  { ...payout, secret: "another" },
  { ...payout, standardSecret: `whsec_${other}` },
  { ...payout, now: payout.now + 301 },
  { ...payout, now: payout.now - 301 },
  ...Object.keys(payout.headers).map((name) => withHeader(name, undefined)),
  withHeader("webhook-id", "evt_2"),
  withHeader("webhook-timestamp", "soon"),
  withHeader("webhook-sequence", "0"),
  withHeader("webhook-signature", `v1,${other}`),
  withHeader("X-SERVICE-Signature", other),
  resigned('{"transaction_type":"refund","transaction_id":"rf_1","data":{"id":"rf_2"}}'),
  resigned('{"transaction_type":"payout_session","transaction_id":"po_1","data":{"id":"po_1"}}'),
];
const taken: readonly Case[] = [
  { ...payout, now: payout.now + 300 },
  { ...payout, now: payout.now - 300 },
  resigned('{"transaction_type":"refund","transaction_id":"rf_1","data":{}}', { sequence: 12 }),
];
const cases = [...known, ...taken, ...refused];

/** The SDK's output line for the same input. */
function lineOf({ body, headers, secret, standardSecret, now }: Case): string {
  try {
    const given = { secret, standardSecret, now: new Date(now * 1_000) };
    const event = verifyWebhook(body, headers, given);
    const amount = "receiving_amount" in event.data ? event.data.receiving_amount : "-";
    return `${event.id} ${event.sequence} ${Date.parse(event.timestamp) / 1_000} ${amount}`;
  } catch {
    return "refused";
  }
}

/** Writes and runs a program with the cases as input, and returns its output lines. */
function run(files: Record<string, string>, command: string, args: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), "disburse-page-"));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const options = { cwd: folder, input: JSON.stringify(cases), encoding: "utf8" } as const;
    return execFileSync(command, args, options).trim().split("\n");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the code block of a page. */
function codeOf(language: string): string {
  const page = readFileSync(join(docs, `guides/webhook-receivers/${language}.md`), "utf8");
  const [, code = ""] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "s").exec(page) ?? [];
  return code;
}

function has(command: string, argument: string): boolean {
  try {
    execFileSync(command, [argument], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

test("the SDK accepts only genuine webhooks", () => {
  const lines = cases.map(lineOf);
  expect(lines.filter((line) => line === "refused")).toHaveLength(refused.length);
  expect(lines.slice(-refused.length)).toEqual(refused.map(() => "refused"));
});

const python = `
import json, sys
from disburse_webhook import Refused, verify

for case in json.load(sys.stdin):
    secrets = case["secret"], case["standardSecret"]
    try:
        event = verify(case["body"].encode(), case["headers"], *secrets, now=case["now"])
        seconds = int(event["timestamp"].timestamp())
        print(event["id"], event["sequence"], seconds, event["data"].get("receiving_amount", "-"))
    except Refused:
        print("refused")
`;

describe.skipIf(!has("python3", "--version"))("Python, where python3 is installed", () => {
  test("has the same results as the SDK", () => {
    const files = { "disburse_webhook.py": codeOf("python"), "main.py": python };
    expect(run(files, "python3", ["main.py"])).toEqual(cases.map(lineOf));
  });
});

/** Compilers take seconds, so these two run only on request. */
const isRequested = process.env.DISBURSE_WEBHOOK_PAGES === "all";

const go = `package main

import ("encoding/json"; "fmt"; "net/http"; "os"; "time")

func main() {
	var cases []struct { Body, Secret, StandardSecret string; Now int64; Headers map[string]string }
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil { panic(err) }
	for _, each := range cases {
		header := http.Header{}
		for name, value := range each.Headers { header.Set(name, value) }
		now := time.Unix(each.Now, 0)
		event, err := Verify([]byte(each.Body), header, each.Secret, each.StandardSecret, now)
		if err != nil { fmt.Println("refused"); continue }
		amount, has := event.Data["receiving_amount"]
		if !has { amount = "-" }
		fmt.Println(event.ID, event.Sequence, event.Timestamp.Unix(), amount)
	}
}
`;

describe.skipIf(!isRequested || !has("go", "version"))("Go, by DISBURSE_WEBHOOK_PAGES=all", () => {
  test("has the same results as the SDK", { timeout: 120_000 }, () => {
    const code = codeOf("go").replace("func main()", "func serve()");
    const files = { "webhook.go": code, "main.go": go, "go.mod": "module main\n\ngo 1.19\n" };
    expect(run(files, "go", ["run", "."])).toEqual(cases.map(lineOf));
  });
});

const java = `
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Instant;
import java.util.HashMap;

public class Main {
  public static void main(String[] args) throws Exception {
    for (var each : new ObjectMapper().readTree(System.in)) {
      var headers = new HashMap<String, String>();
      for (var it = each.get("headers").fields(); it.hasNext(); ) {
        var header = it.next();
        headers.put(header.getKey(), header.getValue().textValue());
      }
      byte[] body = each.get("body").textValue().getBytes("UTF-8");
      String secret = each.get("secret").textValue();
      String standard = each.get("standardSecret").textValue();
      Instant now = Instant.ofEpochSecond(each.get("now").longValue());
      try {
        var event = DisburseWebhook.verify(body, headers, secret, standard, now);
        var amount = event.data().get("receiving_amount");
        String text = amount == null ? "-" : amount.decimalValue().toPlainString();
        System.out.println(event.id() + " " + event.sequence() + " "
            + event.timestamp().getEpochSecond() + " " + text);
      } catch (DisburseWebhook.Refused refused) {
        System.out.println("refused");
      }
    }
  }
}
`;

describe.skipIf(!isRequested || !has("javac", "-version"))(
  "Java, by DISBURSE_WEBHOOK_PAGES=all",
  () => {
    test("has the same results as the SDK", { timeout: 120_000 }, () => {
      const files = { "DisburseWebhook.java": codeOf("java"), "Main.java": java };
      const jars = process.env.CLASSPATH ?? "";
      const program = `javac -cp "${jars}" *.java && java -cp "${jars}:." Main`;
      expect(run(files, "sh", ["-c", program])).toEqual(cases.map(lineOf));
    });
  },
);
