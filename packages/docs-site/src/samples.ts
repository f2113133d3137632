export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export type JsonObject = { readonly [name: string]: Json };

/** The request of a sample, independent of the language. */
export type SampleRequest = {
  readonly method: string;
  readonly url: string;
  readonly body?: JsonObject | undefined;
  /** True if the operation accepts an idempotency key. */
  readonly hasKey: boolean;
  /** The file name of a response that isn't JSON. */
  readonly file?: string | undefined;
  /** The call of the SDK's method; absent if there is none. */
  readonly call?: string | undefined;
};

/** The sandbox's default origin. The page's script replaces it with the page's own origin. */
export const sandboxOrigin = "http://127.0.0.1:8080";

const json = (body: JsonObject) => JSON.stringify(body, null, 2);

/** Returns the lines of which each is needed for a request; `false` stands for the others. */
const joined = (lines: readonly (string | false)[], separator = "\n") =>
  lines.filter((each) => each !== false).join(separator);

function curl({ method, url, body, hasKey, file }: SampleRequest): string {
  const text = body && json(body).replaceAll("'", "'\\''").replaceAll("\n", "\n  ");
  const parts = [
    `curl -s -X ${method} "${url}"`,
    '-H "Authorization: Bearer $DISBURSE_API_KEY"',
    hasKey && '-H "Idempotency-Key: $(openssl rand -hex 16)"',
    text !== undefined && `-H "Content-Type: application/json" \\\n  -d '${text}'`,
    file !== undefined && `-o ${file}`,
  ];
  return joined(parts, " \\\n  ");
}

/** Returns a body as a literal of TypeScript. */
export const literalOf = (body: JsonObject) => json(body).replaceAll(/^( *)"(\w+)":/gm, "$1$2:");

function typescript({ method, url, body, hasKey, file, call }: SampleRequest): string {
  if (call !== undefined) {
    return `import { Disburse } from "@disburse/sdk";

const disburse = new Disburse({
  apiKey: process.env.DISBURSE_API_KEY ?? "",
  baseUrl: "${sandboxOrigin}",
});
const answer = await disburse.${call};
console.log(answer);`;
  }
  return joined([
    file !== undefined && 'import { writeFile } from "node:fs/promises";\n',
    `const response = await fetch("${url}", {\n  method: "${method}",\n  headers: {`,
    `    Authorization: "Bearer " + process.env.DISBURSE_API_KEY,`,
    hasKey && '    "Idempotency-Key": crypto.randomUUID(),',
    body !== undefined && '    "Content-Type": "application/json",',
    "  },",
    body !== undefined && `  body: JSON.stringify(${literalOf(body)}),`,
    "});\nif (!response.ok) throw new Error(await response.text());",
    file === undefined
      ? "console.log(await response.text());"
      : `await writeFile("${file}", new Uint8Array(await response.arrayBuffer()));`,
  ]);
}

function python({ method, url, body, hasKey, file }: SampleRequest): string {
  const headers = [
    `        "Authorization": "Bearer " + os.environ["DISBURSE_API_KEY"],`,
    hasKey && '        "Idempotency-Key": str(uuid.uuid4()),',
    body !== undefined && '        "Content-Type": "application/json",',
  ];
  const used =
    file === undefined
      ? "    print(json.load(response, parse_float=Decimal))"
      : `    with open("${file}", "wb") as file:\n        file.write(response.read())`;
  return joined([
    file === undefined && "import json",
    "import os",
    hasKey && "import uuid",
    file === undefined && "from decimal import Decimal",
    "from urllib.request import Request, urlopen\n",
    body !== undefined && `body = """${json(body)}"""\n`,
    `request = Request(\n    "${url}",\n    method="${method}",`,
    body !== undefined && "    data=body.encode(),",
    `    headers={\n${joined(headers)}\n    },\n)\nwith urlopen(request) as response:\n${used}`,
  ]);
}

function go({ method, url, body, hasKey, file }: SampleRequest): string {
  const imports = [hasKey && "crypto/rand", "fmt", "io", "net/http", "os", body && "strings"];
  const imported = imports.filter(Boolean).map((each) => `\t"${each}"\n`);
  const check = "\tif err != nil {\n\t\tpanic(err)\n\t}";
  return joined([
    `package main\n\nimport (\n${imported.join("")})\n\nfunc main() {`,
    body !== undefined && `\tbody := strings.NewReader(\`${json(body)}\`)`,
    `\trequest, err := http.NewRequest("${method}", "${url}", ${body ? "body" : "nil"})\n${check}`,
    `\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("DISBURSE_API_KEY"))`,
    hasKey && '\trequest.Header.Set("Idempotency-Key", rand.Text())',
    body !== undefined && '\trequest.Header.Set("Content-Type", "application/json")',
    `\tresponse, err := http.DefaultClient.Do(request)\n${check}`,
    `\tanswer, err := io.ReadAll(response.Body)\n${check}\n\tfmt.Println(response.Status)`,
    file === undefined
      ? "\tfmt.Println(string(answer))\n}"
      : `\tif err := os.WriteFile("${file}", answer, 0o600); err != nil {\n\t\tpanic(err)\n\t}\n}`,
  ]);
}

/** The languages of the samples, with the names that Markdown gives their code. */
export const languages = [
  { title: "curl", name: "sh", sample: curl },
  { title: "TypeScript", name: "ts", sample: typescript },
  { title: "Python", name: "python", sample: python },
  { title: "Go", name: "go", sample: go },
] as const;
