import {
  addressOf,
  type SampleRequest,
  variableName,
  variablesIn,
  variablesOf,
} from "../request.ts";

/** Formats a sample as a Go program that uses only the standard library. */
export function goSample(request: SampleRequest): string {
  const { method, body, idempotencyKey, file } = request;
  const imports = ["fmt", "io", "net/http", "os", ...(body === undefined ? [] : ["strings"])];
  const declared = variablesOf(request).map(
    (name) => `${variableName(name)} := ${JSON.stringify(request.variables[name] ?? "…")}`,
  );
  const headers = [
    `request.Header.Set("Authorization", "Bearer "+os.Getenv("DISBURSE_API_KEY"))`,
    ...(body === undefined ? [] : ['request.Header.Set("Content-Type", "application/json")']),
    ...(idempotencyKey === undefined
      ? []
      : [`request.Header.Set("Idempotency-Key", ${JSON.stringify(idempotencyKey)})`]),
  ];
  const sent = body === undefined ? "nil" : "strings.NewReader(body)";
  const lines = [
    ...declared,
    ...(body === undefined ? [] : [`body := ${bodyText(JSON.stringify(body, null, 2))}`]),
    `request, err := http.NewRequest("${method}", ${text(addressOf(request))}, ${sent})`,
    ...failing,
    ...headers,
    "response, err := http.DefaultClient.Do(request)",
    ...failing,
    "defer response.Body.Close()",
    "answer, err := io.ReadAll(response.Body)",
    ...failing,
    ...(file === undefined
      ? ["fmt.Println(response.Status, string(answer))"]
      : [
          "fmt.Println(response.Status)",
          `if err := os.WriteFile("${file}", answer, 0o600); err != nil {`,
          "\tpanic(err)",
          "}",
        ]),
  ];
  const imported = imports.map((each) => `\t"${each}"\n`).join("");
  const main = lines.map((each) => `\t${each}\n`).join("");
  return `package main\n\nimport (\n${imported})\n\nfunc main() {\n${main}}`;
}

const failing = ["if err != nil {", "\tpanic(err)", "}"];

/** Formats a body as raw string literals with the variables concatenated between them. */
function bodyText(json: string): string {
  if (json.includes("`")) return JSON.stringify(json);
  return `\`${json.replaceAll(/"\$([A-Z]+)"/g, (_, name: string) => `"\` + ${variableName(name)} + \`"`)}\``;
}

function text(value: string): string {
  const parts = value.split(/(\$[A-Z]+)/).filter((each) => each !== "");
  return parts
    .map((each) =>
      variablesIn(each).length === 0 ? JSON.stringify(each) : variableName(each.slice(1)),
    )
    .join(" + ");
}
